package http2

import "dyno.example/nano/wire/http1"

// Compose reads a request's head into r as if HTTP/1.1 had brought it (RFC 9113 8.3.1):
// :authority is the Host field, the first of all, and WebSocket by CONNECT (RFC 8441) is an
// upgrade. unsized says that a body follows, and how long it is isn't known. uri bounds
// the target, in bytes. An *[http1.Error] says what the client is to be told.
//
// The request's parts stay where they are, in h.Bytes. What HTTP/1.1 has and HTTP/2 has not
// is added there.
func Compose(r *http1.Request, h *Header, unsized bool, uri int) error {
	c := composer{r: r, h: h}
	return c.compose(unsized, uri)
}

// ComposeText is Compose for whoever wants the head as HTTP/1.1 has it, byte for byte: it
// is written to dst, from its start, and the request's parts are there. A body whose
// length isn't known is one in chunks.
func ComposeText(r *http1.Request, dst []byte, h *Header, unsized bool, uri int) ([]byte, error) {
	c := composer{r: r, h: h, text: dst[:0], writes: true}
	err := c.compose(unsized, uri)
	return c.text, err
}

// composer makes a head of HTTP/1.1 of one of HTTP/2.
type composer struct {
	r      *http1.Request
	h      *Header
	text   []byte
	writes bool // text, where the request's parts are; else they are in h.Bytes
}

func (c *composer) compose(unsized bool, uri int) error {
	h := c.h
	upgrade := !h.Protocol.Empty()
	if err := c.begin(upgrade, uri); err != nil {
		return err
	}
	if !h.Authority.Empty() {
		if err := c.add(h.addText("host"), h.Authority); err != nil {
			return err
		}
	}
	for i := range h.Fields {
		f := &h.Fields[i]
		if f.Known == NameHost {
			continue // it is :authority
		}
		if err := c.add(f.Name, f.Value); err != nil {
			return err
		}
	}
	if upgrade {
		if err := c.add(h.addText("connection"), h.addText("upgrade")); err != nil {
			return err
		}
		if err := c.add(h.addText("upgrade"), h.Protocol); err != nil {
			return err
		}
	}
	if c.writes {
		if unsized {
			if err := c.add(h.addText("transfer-encoding"), h.addText("chunked")); err != nil {
				return err
			}
		}
		c.text = append(c.text, "\r\n"...)
	}
	return c.r.Conclude(unsized)
}

// begin begins the request with its first line.
func (c *composer) begin(upgrade bool, uri int) error {
	method, target := c.h.Method, c.h.Path
	if target.Empty() { // of CONNECT (RFC 9113 8.5)
		target = c.h.Authority
	}
	if upgrade { // RFC 8441 5
		method = c.h.addText("GET")
	}
	if !c.writes {
		return c.r.Begin(c.h.Bytes, http1.Span(method), http1.Span(target), uri)
	}
	m := c.write(method, " ")
	t := c.write(target, " HTTP/1.1\r\n")
	return c.r.Begin(c.text, m, t, uri)
}

// add adds a field.
func (c *composer) add(name, value Span) error {
	if !c.writes {
		return c.r.Add(http1.Field{Name: http1.Span(name), Value: http1.Span(value)}, c.h.Bytes)
	}
	f := http1.Field{Name: c.write(name, ": "), Value: c.write(value, "\r\n")}
	return c.r.Add(f, c.text)
}

// write writes a part of the head and what ends it.
func (c *composer) write(part Span, end string) (at http1.Span) {
	at.Start = uint32(len(c.text))
	c.text = append(c.text, part.Of(c.h.Bytes)...)
	at.End = uint32(len(c.text))
	c.text = append(c.text, end...)
	return at
}

// addText adds text to a head's bytes.
func (h *Header) addText(text string) Span {
	at := uint32(len(h.Bytes))
	h.Bytes = append(h.Bytes, text...)
	return Span{Start: at, End: at + uint32(len(text))}
}
