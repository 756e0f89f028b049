package wasm

import (
	"net/netip"
	"slices"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// failureReplies are the responses in place of a plug-in that failed.
type failureReplies struct{ failed, crowded *request.Reply }

func newFailureReplies() failureReplies {
	return failureReplies{
		request.Refuse(500, "a plug-in of the gateway failed", "").For(request.RefusedMiddlewareFailed),
		request.Refuse(503, "a plug-in of the gateway has too much to do", "Retry-After: 1\r\n").For(request.RefusedMiddlewareUndecided),
	}
}

// Middleware is the plug-in as routes have it. What is said of a request is copied on the
// loop, the guest is called by a worker, and what it has changed is taken over on the loop
// again.
func (p *Plugin) Middleware() middleware.Middleware {
	u := &use{p}
	return middleware.Middleware{Request: u.onRequest, Response: u.onResponse}
}

// use is a plug-in at one place of a route: what it knows of a request is kept by that.
type use struct{ *Plugin }

// onRequest calls the guest with a request.
func (u *use) onRequest(r *request.Request) *request.Reply {
	p, m := u.Plugin, u.now.Load()
	t := &turn{p: p, m: m, x: exchangeOf(r)}
	var content func([]byte)
	if m.features&BufferRequest != 0 {
		content = func(body []byte) { t.x.Body = body }
	}
	next, failure := false, (*Failure)(nil)
	reply := p.later(p.replies.crowded, content, func() func(*request.Request) *request.Reply {
		if next, failure = t.request(); failure != nil {
			p.failed(failure)
		}
		return func(r *request.Request) *request.Reply {
			switch {
			case failure != nil:
				return p.instead()
			case !next:
				return t.x.reply()
			}
			t.x.pass(r)
			t.promised = slices.Clone(t.x.Response)
			r.Keep(u, t)
			r.AtEnd(t.ended)
			return nil
		}
	})
	reply.Deferred.Missed = func() {
		if next {
			t.ended(&request.Outcome{Failed: request.ClientGone})
		}
	}
	return reply
}

// onResponse calls it with the response.
func (u *use) onResponse(r *request.Request, resp *request.Response) *request.Reply {
	p := u.Plugin
	t, ok := r.Kept(u).(*turn)
	if !ok { // it failed before, and may
		return nil
	}
	t.x.respond(resp, t.promised)
	var content func([]byte)
	if t.features&BufferResponse != 0 {
		content = func(body []byte) { t.x.Content = body }
	}
	return p.later(p.replies.crowded, content, func() func(*request.Request) *request.Reply {
		if !t.takesResponse() { // the request has ended
			return nil
		}
		failure := t.response(false)
		if failure != nil {
			p.failed(failure)
		}
		return func(r *request.Request) *request.Reply {
			if failure != nil {
				return p.instead()
			}
			t.x.give(r.Response, t.promised)
			if t.early != nil && !t.x.Changed.Content {
				r.Response.SetContent(t.early)
			}
			return nil
		}
	})
}

// instead is the reply when a guest has failed; nil: it passes.
func (p *Plugin) instead() *request.Reply {
	if p.rules.Pass {
		return nil
	}
	return p.replies.failed
}

// exchangeOf copies a request, as the upstream would be sent it by now.
func exchangeOf(r *request.Request) *Exchange {
	text := string(r.Buf) // one copy, of which all else are parts
	part := func(s http1.Span) string { return text[s.Start:s.End] }
	x := &Exchange{Method: part(r.Head.Method), Proto: "HTTP/1." + string('0'+rune(r.Head.Minor)), Source: source(r)}
	if r.HTTP2 {
		x.Proto = "HTTP/2.0" // as the ABI writes it
	}
	x.URI = r.URI()
	x.Fields = make(Fields, 0, len(r.Head.Fields)+4)
	for i := range r.Head.Fields {
		f := Field{part(r.Head.Fields[i].Name), part(r.Head.Fields[i].Value)}
		switch {
		case len(r.Drops()) > 0 && slices.Contains(r.Drops(), strings.ToLower(f.Name)):
		default:
			x.Fields = append(x.Fields, f)
		}
	}
	x.Fields.read(r.Forwards())
	return x
}

// read adds lines, each with its CRLF.
func (f *Fields) read(lines []byte) {
	for line := range strings.SplitSeq(string(lines), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			f.Add(name, strings.TrimSpace(value))
		}
	}
}

// source is the client's address, as the gateway knows it: behind a trusted proxy it is
// the address that the proxy gives, whose port isn't known.
func source(r *request.Request) string {
	switch {
	case r.Client == r.Peer.Addr() && r.Peer.IsValid():
		return r.Peer.String()
	case r.Client.IsValid():
		return netip.AddrPortFrom(r.Client, 0).String()
	}
	return ""
}

// reply is the response that a guest has made.
func (x *Exchange) reply() *request.Reply {
	a := &request.Reply{Status: x.Status, Body: x.Content}
	if a.Status == 0 {
		a.Status = 200
	}
	for _, f := range x.Response {
		a.Fields = request.AppendField(a.Fields, f.Name, f.Value)
	}
	return a
}

// pass has the request go on as the guest has changed it.
func (x *Exchange) pass(r *request.Request) {
	for _, name := range x.Changed.Fields {
		r.Replace(name, x.Fields.Values(name)...)
	}
	to := request.Line{}
	if x.Changed.Line {
		to.Method, to.URI = x.Method, x.URI
	}
	if slices.Contains(x.Changed.Fields, "host") {
		to.Host = x.Fields.Values("host")[0]
	}
	r.Rewrite(to)
	if x.Changed.Body {
		r.SetContent(x.Body)
	}
	for _, f := range x.Response {
		r.Respond(f.Name, []byte(f.Value))
	}
}

// respond copies the response. promised are the fields that the guest has set before there
// was one, which it sees with the upstream's: in hosts whose server has one set of fields
// for a response they are there too.
func (x *Exchange) respond(p *request.Response, promised Fields) {
	x.Changed, x.Status, x.Content = Changes{}, p.Status(), nil
	x.Response = x.Response[:0]
	p.Each(func(name, value []byte) { x.Response.Add(string(name), string(value)) })
	x.Response = append(x.Response, promised...)
}

// give has the response go on as the guest has changed it. What was promised and is changed
// is a part of the response from now on.
func (x *Exchange) give(p *request.Response, promised Fields) {
	if x.Changed.Status {
		p.SetStatus(x.Status)
	}
	if x.Changed.Content {
		p.SetContent(x.Content)
	}
	for _, name := range x.Changed.Reply {
		p.Drop(name)
		for _, f := range promised {
			if strings.EqualFold(f.Name, name) {
				p.Withdraw(f.Name, f.Value)
			}
		}
		for _, value := range x.Response.Values(name) {
			p.Add(name, []byte(value))
		}
	}
}
