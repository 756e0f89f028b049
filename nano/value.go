package nano

// Key is a typed name for a value that middleware keeps with a request. Make one
// per kind of value, as a package variable.
type Key[T any] struct{ name string }

// NewKey returns a key. The name is for people: two keys of the same name are
// different.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name} }

// Set keeps a value with the request. It replaces an earlier one.
func (k *Key[T]) Set(c Ctx, v T) {
	x := c.own()
	for i := range x.values {
		if x.values[i].key == any(k) {
			x.values[i].value = v
			return
		}
	}
	x.values = append(x.values, value{k, v})
}

// Get returns the request's value, and whether there is one.
func (k *Key[T]) Get(c Ctx) (T, bool) {
	for _, v := range c.live().values {
		if v.key == any(k) {
			kept, _ := v.value.(T) // a nil of an interface type is none of its own
			return kept, true
		}
	}
	var none T
	return none, false
}

// value is one value kept with a request.
type value struct{ key, value any }
