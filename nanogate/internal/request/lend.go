package request

import "dyno.example/nano/wire/http1"

// loan is the memory in which a loop's request is lent: what is lent next overwrites it, and
// nothing else is ever kept in it.
type loan struct {
	request  Request
	response Response

	head           http1.Request
	buf, path      []byte
	fields, back   []http1.Field
	params         []Span
	lines, added   []byte
	drops          []string
	found          []found
	reply          http1.ResponseHead
	text, replied  []byte
	replyDrops     []string
	replyWithdrawn [][]byte
}

// Lend returns the request for a function that isn't the gateway's own: a copy in memory that
// carries no other request's bytes. A function that keeps it, or views into it, and changes them
// later changes nothing that anybody reads. Reclaim takes over what it has set. The copy is
// valid until the next one is lent. What [Request.Clone] has made is the caller's already, and
// lent as it is.
func (r *Request) Lend() *Request {
	if r.own {
		return r
	}
	if r.loan == nil {
		r.loan = &loan{}
	}
	m, c := r.loan, &r.loan.request
	*c = *r
	m.head, m.buf, m.path = *r.Head, append(m.buf[:0], r.Buf...), append(m.path[:0], r.Path...)
	m.fields, m.params = append(m.fields[:0], r.Head.Fields...), append(m.params[:0], r.Params...)
	m.lines, m.added = append(m.lines[:0], r.lines...), append(m.added[:0], r.added...)
	m.drops, m.found = append(m.drops[:0], r.drops...), append(m.found[:0], r.found...)
	m.head.Fields = m.fields
	c.loan, c.own, c.ends = nil, true, nil
	c.Head, c.Buf, c.Path, c.Params = &m.head, m.buf, m.path, m.params
	c.lines, c.added, c.drops, c.found = m.lines, m.added, m.drops, m.found
	if r.Response != nil {
		c.Response = m.lend(r.Response)
	}
	return c
}

func (m *loan) lend(p *Response) *Response {
	c := &m.response
	*c = *p
	m.reply, m.text, m.back = *p.Head, append(m.text[:0], p.Buf...), append(m.back[:0], p.Head.Fields...)
	m.replied, m.replyDrops, m.replyWithdrawn = append(m.replied[:0], p.lines...), append(m.replyDrops[:0], p.drops...), append(m.replyWithdrawn[:0], p.withdrawn...)
	m.reply.Fields = m.back
	c.Head, c.Buf, c.lines, c.drops, c.withdrawn = &m.reply, m.text, m.replied, m.replyDrops, m.replyWithdrawn
	return c
}

// Reclaim takes over what was set of a request that was lent, and nothing else: whatever its
// borrower did to its head is gone.
func (r *Request) Reclaim(c *Request) {
	if c == r {
		return
	}
	p := c.Response
	if m := r.loan; r.Response != nil { // a borrower may have put another in its place
		p = &m.response
		m.replied, m.replyDrops, m.replyWithdrawn = p.lines, p.drops, p.withdrawn
		r.Response.content, r.Response.refilled = p.content, p.refilled
	}
	c.Response = p
	r.loan.lines, r.loan.added, r.loan.drops, r.loan.found = c.lines, c.added, c.drops, c.found
	r.content, r.refilled = c.content, c.refilled
	r.Adopt(c)
	c.ends = nil
	clear(r.loan.found)
}
