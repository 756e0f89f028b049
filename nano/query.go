package nano

import (
	"bytes"
	"iter"

	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/http1"
)

// Query returns the first value of the name in the target's query, decoded; nil
// if there is none. It is not nil but empty for "?name" and "?name=". Values
// without escapes are not copied. A value with a wrong escape counts as absent:
// [Bind] refuses it.
func (c Ctx) Query(name string) View {
	x := c.live()
	for p := range pairs(x.Req.Query.Of(x.Buf)) {
		if p.named(name) {
			v, ok := x.unescaped(p.value)
			if ok {
				return View(v)
			}
		}
	}
	return nil
}

// Queries returns all values of the name in the order they were sent. Values with
// a wrong escape are left out.
func (c Ctx) Queries(name string) iter.Seq[View] {
	x := c.live()
	return func(yield func(View) bool) {
		for p := range pairs(x.Req.Query.Of(x.Buf)) {
			if !p.named(name) {
				continue
			}
			if v, ok := x.unescaped(p.value); ok && !yield(View(v)) {
				return
			}
		}
	}
}

// pair is a name and value of a query or of a form, as they were sent.
type pair struct{ name, value []byte }

// pairs goes through "name=value&name=value", the application/x-www-form-urlencoded
// of the URL standard, 5.1. Nothing is decoded.
func pairs(text []byte) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for len(text) > 0 {
			one := text
			if i := bytes.IndexByte(text, '&'); i >= 0 {
				one, text = text[:i], text[i+1:]
			} else {
				text = nil
			}
			if len(one) == 0 {
				continue
			}
			p := pair{one, one[len(one):]}
			if i := bytes.IndexByte(one, '='); i >= 0 {
				p = pair{one[:i], one[i+1:]}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// named compares the pair's name, which may have escapes. It doesn't allocate.
func (p pair) named(name string) bool {
	at := 0
	for i := 0; i < len(p.name); i++ {
		ch := p.name[i]
		switch ch {
		case '+':
			ch = ' '
		case '%':
			if i+2 >= len(p.name) || !router.IsHex(p.name[i+1]) || !router.IsHex(p.name[i+2]) {
				return false
			}
			ch = router.Unhex(p.name[i+1])<<4 | router.Unhex(p.name[i+2])
			i += 2
		}
		if at == len(name) || name[at] != ch {
			return false
		}
		at++
	}
	return at == len(name)
}

// escaped reports whether text has escapes.
func escaped(text []byte) bool {
	for _, c := range text {
		if c == '%' || c == '+' {
			return true
		}
	}
	return false
}

// unescaped decodes a name or value of a query or form into the scratch of the
// request, if it has to be decoded.
func (x *liveRequest) unescaped(text []byte) (value []byte, ok bool) {
	if !escaped(text) {
		return text, true
	}
	from := len(x.match.Scratch)
	out, ok := http1.AppendUnescapedQuery(x.match.Scratch, text)
	if !ok {
		return nil, false
	}
	x.match.Scratch = out
	return x.handOut(out[from:len(out):len(out)]), true
}
