//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/grpcweb"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// webCalls makes calls over gRPC of those over gRPC-Web, which browsers can make.
type webCalls struct {
	*loop

	text []byte // content that was translated
	told []byte // a response's head that was
}

// routed makes a call over gRPC of a request over gRPC-Web.
func (l *webCalls) routed(c *client) {
	x, r := &c.x, &l.req
	kind, _ := r.Header("content-type")
	accept, _ := r.Header("accept")
	if string(r.Method()) != "POST" {
		return
	}
	call := grpcweb.Begin(kind, accept)
	if call == nil {
		return
	}
	l.keep(x).web = call
	x.join(filter.GRPCWeb)
	c.grpc, x.call, x.remade, x.trailers, x.unsized = true, true, true, true, x.kept.web.Text
	l.text = grpcweb.AppendContentType(l.text[:0], kind)
	r.Forward("content-type", l.text)
	r.Drop("content-length") // base64 is longer than what it says
	x.chunked = !x.body.Done()
}

// uploading reads the base64 of a request.
func (l *webCalls) uploading(c *client, piece []byte) (instead []byte, done, on bool) {
	x := &c.x
	if !x.kept.web.Text {
		return piece, false, true
	}
	var err error
	if l.text, err = x.kept.web.Request(l.text[:0], piece, x.body.Done()); err != nil {
		l.bodies.badBody(c)
		return nil, true, false
	}
	return l.text, false, true
}

// translated writes the head of a call's response as gRPC-Web has it.
func (l *webCalls) translated(x *exchange, text []byte, end bool) []byte {
	l.told = x.kept.web.Response(l.told[:0], text, end)
	return l.told
}

// responded refuses a response over HTTP/1.1: there is no gRPC over that.
func (l *webCalls) responded(c *client, k *backend, text, _ []byte, _ tail) ([]byte, bool) {
	if k.call == nil {
		l.exchanges.failed(c, request.BadResponse)
		return nil, false
	}
	return text, true
}

// downloading writes a part of a response as gRPC-Web has it; the trailers follow the last.
func (l *webCalls) downloading(c *client, k *backend, piece []byte, done bool) ([]byte, bool) {
	x := &c.x
	call := x.kept.web
	l.text = l.text[:0]
	if len(piece) > 0 {
		l.text = call.Part(l.text, piece)
	}
	if done {
		l.text = call.End(l.text, l.bodies.responseTrailers(x, k))
		k.trailers, k.body = k.trailers[:0], http1.Body{} // they have been sent
	}
	return l.text, true
}

// replying writes a response of the gateway's own.
func (l *webCalls) replying(c *client, a *request.Reply) bool {
	out := append(append(l.out[:0], "HTTP/1.1 200 OK\r\n"...), l.date...)
	out = c.x.kept.web.Refusal(out, l.grpc.statusFields(&c.x, a))
	if c.of == nil {
		out = append(out, "content-length: 0\r\n"...)
	}
	l.heads.giveWhole(c, out, nil)
	return true
}

// cutting ends a call that has begun with a status, if all that came before it was taken and
// ends with a message.
func (l *webCalls) cutting(c *client) bool {
	x := &c.x
	if !c.out.empty() || !x.kept.web.Between() {
		return false
	}
	code, detail := x.codeOfFailure()
	l.grpc.status = translate.AppendStatus(l.grpc.status[:0], code, detail)
	l.text = x.kept.web.End(l.text[:0], l.grpc.status)
	l.attempts.giveUp(c)
	x.keep = x.keep && x.body.Done()
	l.exchanges.endWith(c, l.text)
	return true
}
