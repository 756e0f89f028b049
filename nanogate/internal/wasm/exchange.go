package wasm

import "strings"

// Exchange is a request, and later the response to it, as guests see them. It is a copy
// that guests change; whoever made it takes over what was changed. One guest at a time
// works on it.
type Exchange struct {
	Method string
	URI    string // path and query as in origin-form
	Proto  string // of the client's request, such as "HTTP/1.1"
	Source string // the client's address and port
	Fields Fields // the request's, as lines: several of a name are several
	Body   []byte // the request's, if guests may read it ([BufferRequest])

	Status   int    // of the response
	Response Fields // the response's; those that are set before there is one are added to it
	Content  []byte // the response's body, if guests may read it ([BufferResponse]), or have written it

	Changed Changes
}

// Changes say what of an exchange guests have changed.
type Changes struct {
	Line    bool     // method or URI
	Fields  []string // of the request, their names in lower case
	Body    bool
	Status  bool
	Reply   []string // of the response, in the same way
	Content bool
}

// Field is one line of a head.
type Field struct{ Name, Value string }

// Fields are those of a head, in their order. Names are compared without regard to case
// (RFC 9110 5.1).
type Fields []Field

// Names are those that there are, in lower case, each once, in the order they first come
// in.
func (f Fields) Names() []string {
	names := make([]string, 0, len(f))
next:
	for i := range f {
		for k := range i {
			if strings.EqualFold(f[k].Name, f[i].Name) {
				continue next
			}
		}
		names = append(names, strings.ToLower(f[i].Name))
	}
	return names
}

// Values are those of a name.
func (f Fields) Values(name string) []string {
	var values []string
	for i := range f {
		if strings.EqualFold(f[i].Name, name) {
			values = append(values, f[i].Value)
		}
	}
	return values
}

// Set puts one line in the place of all of that name.
func (f *Fields) Set(name, value string) {
	for i := range *f {
		if one := &(*f)[i]; strings.EqualFold(one.Name, name) {
			one.Value = value
			rest := (*f)[i+1:]
			kept := rest[:0]
			for _, other := range rest {
				if !strings.EqualFold(other.Name, name) {
					kept = append(kept, other)
				}
			}
			*f = (*f)[:i+1+len(kept)]
			return
		}
	}
	f.Add(name, value)
}

// Add adds a line.
func (f *Fields) Add(name, value string) { *f = append(*f, Field{name, value}) }

// Remove takes out all lines of a name.
func (f *Fields) Remove(name string) {
	kept := (*f)[:0]
	for _, one := range *f {
		if !strings.EqualFold(one.Name, name) {
			kept = append(kept, one)
		}
	}
	*f = kept
}

// size is how many bytes the lines take in a head.
func (f Fields) size() int {
	n := 0
	for i := range f {
		n += len(f[i].Name) + len(f[i].Value) + len(": \r\n")
	}
	return n
}
