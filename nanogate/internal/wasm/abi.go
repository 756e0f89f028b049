package wasm

import (
	"slices"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// What guests may change, and how it is checked: what they set is written into heads, so
// it is held to the same grammar as what comes from outside.

const (
	mostFields = 256      // that a head may have when a guest has added some
	mostHead   = 64 << 10 // bytes of them
	mostURI    = 16 << 10 // bytes
)

// before says that the request has been sent on already.
func (c *call) before(what string) {
	if c.after {
		forbid("%s can't be changed when the response is in", what)
	}
}

func (c *call) setMethod(mem memory, s []uint64) {
	c.before("the method")
	method := mem.take(s[0], s[1])
	switch {
	case !http1.ValidToken(method) || len(method) > 64:
		forbid("%q is no method", method)
	case (method == "HEAD") != (c.x.Method == "HEAD") || method == "CONNECT":
		forbid("%s can't be made %s, as the client expects its response", c.x.Method, method)
	}
	c.x.Changed.Line = c.x.Changed.Line || c.x.Method != method
	c.x.Method = method
}

func (c *call) setURI(mem memory, s []uint64) {
	c.before("the URI")
	uri := mem.take(s[0], s[1])
	if uri == "" {
		uri = "/"
	}
	if len(uri) > mostURI {
		forbid("a URI of %d bytes is longer than the %d that there may be", len(uri), mostURI)
	}
	if !validURI(uri) {
		forbid("%q is no path with a query", uri)
	}
	c.x.Changed.Line = c.x.Changed.Line || c.x.URI != uri
	c.x.URI = uri
}

// validURI reports whether a target in origin-form is one that a client could have sent.
func validURI(uri string) bool {
	if uri[0] != '/' {
		return false
	}
	for _, b := range []byte(uri) {
		if b <= ' ' || b >= 0x7f || b == '#' {
			return false
		}
	}
	path, _, _ := strings.Cut(uri, "?")
	_, err := request.AppendCanonical(nil, []byte(path), request.Keeps{Slashes: true, Parameters: true})
	return err == nil
}

// headerKind of the ABI.
const (
	requestFields  = 0
	responseFields = 1
	trailerKinds   = 3 // the last of those of trailers
)

// fieldsOf are those of a kind; nil for trailers, of which there are none.
func (c *call) fieldsOf(kind uint64) *Fields {
	switch uint32(kind) {
	case requestFields:
		return &c.x.Fields
	case responseFields:
		return &c.x.Response
	}
	if uint32(kind) > trailerKinds {
		forbid("there is no kind of fields %d", uint32(kind))
	}
	return nil
}

func (c *call) names(mem memory, s []uint64) {
	var names []string
	if f := c.fieldsOf(s[0]); f != nil {
		names = f.Names()
	}
	s[0] = mem.giveAll(s[1], s[2], names)
}

func (c *call) values(mem memory, s []uint64) {
	f := c.fieldsOf(s[0])
	name := mem.take(s[1], s[2])
	if name == "" {
		forbid("a field has a name")
	}
	var values []string
	if f != nil {
		values = f.Values(name)
	}
	s[0] = mem.giveAll(s[3], s[4], values)
}

// change finds the fields that a guest changes. Fields that frame a message or are for
// one connection only are the gateway's (RFC 9110 7.6.1): for these it is nil, and
// setting them does nothing, as in other hosts, whose servers frame messages themselves
// as well.
func (c *call) change(kind uint64, name string) *Fields {
	f := c.fieldsOf(kind)
	switch {
	case f == nil:
		forbid("there are no trailers")
	case !http1.ValidToken(name):
		forbid("%q is no name of a field", name)
	case f == &c.x.Fields:
		c.before("the request's fields")
	}
	lower := strings.ToLower(name)
	if request.Frames(lower) {
		return nil
	}
	names := &c.x.Changed.Reply
	if f == &c.x.Fields {
		names = &c.x.Changed.Fields
	}
	if !slices.Contains(*names, lower) {
		*names = append(*names, lower)
	}
	return f
}

// check holds fields that have been changed to their bounds.
func (f *Fields) check(name, value string) {
	if !http1.ValidFieldValue(value) {
		forbid("the value of %s is none that a field can have", name)
	}
	if len(*f) >= mostFields || f.size()+len(name)+len(value) > mostHead {
		forbid("a head of more than %d fields or %d bytes", mostFields, mostHead)
	}
}

func (c *call) setField(mem memory, s []uint64) {
	name, value := mem.take(s[1], s[2]), mem.take(s[3], s[4])
	if f := c.change(s[0], name); f != nil {
		f.check(name, value)
		if f == &c.x.Fields && strings.EqualFold(name, "host") && (value == "" || !http1.ValidHost(value)) {
			forbid("%q is no host", value)
		}
		f.Set(name, value)
	}
}

func (c *call) addField(mem memory, s []uint64) {
	name, value := mem.take(s[1], s[2]), mem.take(s[3], s[4])
	if f := c.change(s[0], name); f != nil {
		f.check(name, value)
		if f == &c.x.Fields && strings.EqualFold(name, "host") {
			forbid("a request has one host, which can be set")
		}
		f.Add(name, value)
	}
}

func (c *call) removeField(mem memory, s []uint64) {
	name := mem.take(s[1], s[2])
	if f := c.change(s[0], name); f != nil {
		if f == &c.x.Fields && strings.EqualFold(name, "host") {
			forbid("a request has a host")
		}
		f.Remove(name)
	}
}

// body is the one of a kind, by number: 0 is the request's.
func (c *call) body(kind uint64) (n int, b *[]byte) {
	switch uint32(kind) {
	case 0:
		return 0, &c.x.Body
	case 1:
		return 1, &c.x.Content
	}
	forbid("there is no kind of bodies %d", uint32(kind))
	return 0, nil
}

// readBody gives the next part of a body, and above its length whether that is its end.
func (c *call) readBody(mem memory, s []uint64) {
	n, body := c.body(s[0])
	switch {
	case uint32(s[2]) == 0:
		forbid("a body can't be read into no bytes")
	case n == 0 && c.features&BufferRequest == 0:
		forbid("the request's body can be read only if the guest has enabled buffer_request while it started")
	case n == 1 && (!c.after || c.features&BufferResponse == 0):
		forbid("the response's body can be read in handle_response, only if the guest has enabled buffer_response")
	}
	into := mem.view(s[1], s[2])
	read := copy(into, (*body)[c.read[n]:])
	c.read[n] += read
	s[0] = boolean(c.read[n] == len(*body))<<32 | uint64(read)
}

// writeBody adds to a body: the first time in place of what there was.
func (c *call) writeBody(mem memory, s []uint64) {
	n, body := c.body(s[0])
	switch {
	case n == 0 && c.after:
		forbid("the request's body can't be changed when the response is in")
	case n == 0 && c.features&BufferRequest == 0:
		forbid("the request's body can be changed only if the guest has enabled buffer_request while it started")
	case n == 1 && c.after && c.features&BufferResponse == 0:
		forbid("the response's body can be changed only if the guest has enabled buffer_response")
	}
	piece := mem.view(s[1], s[2])
	if !c.wrote[n] {
		c.wrote[n], *body = true, nil
	}
	if len(*body)+len(piece) > c.in.module.limits.Body {
		forbid("a body of more than the %d bytes that there may be", c.in.module.limits.Body)
	}
	*body = append(*body, piece...)
	if n == 0 {
		c.x.Changed.Body = true
	} else {
		c.x.Changed.Content = true
	}
}

// status is 200 as long as no other was set.
func (c *call) status(_ memory, s []uint64) {
	if s[0] = uint64(uint32(c.x.Status)); s[0] == 0 {
		s[0] = 200
	}
}

func (c *call) setStatus(_ memory, s []uint64) {
	status := int(uint32(s[0]))
	switch {
	case status < 200 || status > 599:
		forbid("%d is no status that a response can have", status)
	case c.after && bodiless(status) != bodiless(c.x.Status):
		forbid("%d can't be made %d, as one of them has no body", c.x.Status, status)
	}
	c.x.Changed.Status = c.x.Changed.Status || c.x.Status != status
	c.x.Status = status
}

// bodiless reports whether a response of that status has no body (RFC 9112 6.3).
func bodiless(status int) bool { return status == 204 || status == 304 }
