package nano

import "iter"

// Headers goes through the header fields of the request, names and values, in
// the order they were sent.
func (c Ctx) Headers() iter.Seq2[View, View] {
	x := c.live()
	return func(yield func(name, value View) bool) {
		for i := range x.req.Fields {
			f := &x.req.Fields[i]
			if !yield(View(f.Name.Of(x.buf)), View(f.Value.Of(x.buf))) {
				return
			}
		}
	}
}
