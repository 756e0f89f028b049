//go:build linux

package simulator

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
)

// client1 is a client's end of a connection over HTTP/1.1.
type client1 struct {
	peer
	c       *Client
	queue   []*exchange // that are to be sent
	under   []*exchange // that were sent and have no response yet, the oldest first
	latest  *exchange   // of those that were sent
	part    *exchange   // that is being sent
	rest    []byte      // of its body
	waits   bool        // for 100 Continue
	abort   *exchange   // after which it gives up, when all is written
	shut    bool
	spoke   bool // nonsense, behind which nothing follows
	closing bool // the last response has come
	in      []byte
	head    http1.ResponseHead
	body    http1.Body
	toEnd   bool
	keep    bool
	inBody  bool
	got     int
	j       judge
	tunnel  bool
	ended   bool // of a tunnel: the other side
}

func (p *client1) act() {
	if up, over := p.Socket.Up(); !up && !over {
		return
	}
	b, errno := p.Read()
	if p.tunnel {
		p.passTunnel(b, errno)
		return
	}
	switch {
	case len(b) > 0:
		p.in = append(p.in, b...)
		p.take()
	case errno == 0:
		p.lost("the end")
		return
	case errno != unix.EAGAIN:
		p.lost(errno.Error())
		return
	}
	if !p.Over && !p.tunnel {
		p.send()
	}
}

// lost is when the connection has ended.
func (p *client1) lost(why string) {
	if p.Over {
		return
	}
	if p.inBody && p.toEnd && why == "the end" && !p.Reset {
		p.inBody = false
		p.j.ended(nil)
		p.under = p.under[1:]
		p.keep = false
	}
	p.leave(why)
}

// leave ends the connection. What has no response won't get one; what wasn't sent yet is sent
// on another one.
func (p *client1) leave(why string) {
	for i, x := range p.under {
		if i > 0 || !p.inBody {
			p.j = judge{w: p.w, x: x}
		}
		x.gone = x.gone || i > 0 // it shares the fate of the one before it
		p.j.cut(why)
	}
	p.under = nil
	p.end("close")
	p.w.goOn(p.c, p.queue)
}

// take takes in what has come.
func (p *client1) take() {
	for len(p.under) > 0 && !p.Over && !p.closing {
		x := p.under[0]
		if !p.inBody {
			if len(p.in) == 0 {
				return
			}
			n, err := p.head.Parse(p.in, x.Method == "HEAD", &limits1)
			if err != nil {
				p.w.violate("protocol", "%v in %q for %s", err, p.in[:min(len(p.in), 200)], x)
				p.leave("nonsense")
				return
			}
			if n == 0 {
				return
			}
			if p.head.Status < 200 && p.head.Status != 101 {
				if p.c.Old {
					p.w.violate("protocol", "%d to a client of HTTP/1.0: %s", p.head.Status, x)
				}
				p.waits = p.waits && p.head.Status != 100
				p.in = p.in[:copy(p.in, p.in[n:])]
				continue
			}
			p.begins(x, p.in[:n])
			p.in = p.in[:copy(p.in, p.in[n:])]
			if p.head.Status == 101 {
				p.j.take(p.in)
				p.in = p.in[:0]
				p.Stir()
				return
			}
		}
		used, data, err := len(p.in), len(p.in), error(nil)
		if !p.toEnd {
			used, data, err = p.body.Feed(p.in)
		}
		p.j.take(p.in[:data])
		p.got += data
		p.in = p.in[:copy(p.in, p.in[used:])]
		if err != nil {
			p.w.violate("protocol", "the content is framed wrongly, %v: %s", err, x)
			p.leave("nonsense")
			return
		}
		if x.Abort == "receive" && p.got >= x.After && !x.gone {
			p.giveUp(x)
			if p.Over {
				return
			}
		}
		if p.toEnd || !p.body.Done() {
			return
		}
		p.responded()
	}
	if len(p.in) > 0 && len(p.under) == 0 && !p.Over {
		if !p.ownMessage() {
			p.w.violate("protocol", "%q came without a request", p.in[:min(len(p.in), 200)])
		}
		p.leave("unasked")
	}
}

// ownMessage is whether what came unasked is the gateway's way to say why it closes.
func (p *client1) ownMessage() bool {
	if p.w.tight() && strings.HasPrefix("HTTP/1.1 503 ", string(p.in[:min(len(p.in), 13)])) {
		return true
	}
	n, err := p.head.Parse(p.in, false, &limits1)
	if err != nil || n == 0 {
		return false
	}
	return p.latest != nil && p.latest.gone && (p.head.Status == 408 || p.head.Status == 400)
}

func (p *client1) begins(x *exchange, b []byte) {
	p.j = judge{w: p.w, x: x}
	p.inBody, p.toEnd, p.keep, p.got = true, p.head.UntilClose, p.head.KeepAlive, 0
	p.body.StartResponse(&p.head)
	get := func(name string) []byte {
		for _, f := range p.head.Fields {
			if http1.EqualFold(f.Name.Of(b), name) {
				return f.Value.Of(b)
			}
		}
		return nil
	}
	p.j.head(p.head.Status, get)
	if p.head.Status == 101 {
		p.tunnelBegins(x, get("sec-websocket-accept"))
	}
	p.waits = false
	if p.toEnd && !p.j.own && !x.Route.tunnels() {
		p.endsSoon(x, 0)
	}
}

// endsSoon holds the gateway to ending a connection whose end is that of the response, when all of
// that has come: all had come before, at a first look, or after so long.
func (p *client1) endsSoon(x *exchange, came int) {
	p.w.sys.After(20e9, func() {
		all := len(p.j.content.Want)
		switch {
		case p.Over || !p.inBody || p.under[0] != x:
		case came < all:
			p.endsSoon(x, p.j.content.At)
		default:
			p.w.violate("not-closed", "behind the response that ends with the connection, to %s", x)
			p.leave("nothing")
		}
	})
}

// responded is when a response is whole.
func (p *client1) responded() {
	x := p.under[0]
	text, _ := p.body.Trailers()
	p.j.ended(text)
	p.inBody = false
	p.under = p.under[1:]
	if !p.keep {
		p.closes(x)
		return
	}
	if p.part == x && !x.sent {
		return // the rest of the body is sent still
	}
	if p.shut && len(p.under) == 0 {
		p.leave("half closed")
		return
	}
	p.Stir()
}

// closes waits for the end of the connection, which the response has said is the last.
func (p *client1) closes(x *exchange) {
	if !p.c.Old && !p.j.own && !p.w.draining && !x.gone && !x.unread() {
		p.w.violate("not-kept", "the connection ends with the response to %s", x)
	}
	p.closing, p.part = true, nil
	for _, other := range p.under { // nobody will respond to them
		other.gone = true
	}
	p.w.sys.After(20e9, func() {
		if !p.Over {
			p.w.violate("not-closed", "behind the response to %s", x)
			p.leave("nothing")
		}
	})
}

// send sends what is to be sent now.
func (p *client1) send() {
	for !p.Over && !p.closing {
		if !p.Flush() {
			return
		}
		if p.abort != nil {
			x := p.abort
			p.abort = nil
			p.giveUp(x)
			return
		}
		if p.part != nil {
			if p.waits {
				return
			}
			p.morePart()
			continue
		}
		if len(p.queue) == 0 || p.shut || p.spoke {
			if len(p.under) == 0 {
				p.leave("done")
			}
			return
		}
		if len(p.under) >= p.c.Depth || len(p.under) > 0 && (p.latest.Route.tunnels() || p.queue[0].Route.tunnels()) {
			return
		}
		p.next()
	}
}

// next begins the next request.
func (p *client1) next() {
	x := p.queue[0]
	p.queue = p.queue[1:]
	p.w.startExchange(x)
	if x.prior = p.latest; x.prior != nil {
		x.prior.after = x
	}
	p.latest = x
	p.under = append(p.under, x)
	if x.Nonsense > 0 {
		p.Out, p.spoke = append(p.Out, x.nonsense()...), true
		return
	}
	minor := 1
	if p.c.Old {
		minor = 0
	}
	p.Out = fmt.Appendf(p.Out, "%s %s HTTP/1.%d\r\nHost: world.example\r\nX-Token: %d\r\n", x.Method, x.Path, minor, x.ID)
	for _, f := range p.w.fields(x) {
		p.Out = append(append(append(append(p.Out, f[0]...), ": "...), f[1]...), "\r\n"...)
	}
	if x.Route.tunnels() {
		p.askTunnel(x)
		return
	}
	switch {
	case !p.c.Old:
		p.Out = append(p.Out, "TE: trailers\r\nConnection: TE\r\n"...)
	case p.c.Keeps:
		p.Out = append(p.Out, "Connection: keep-alive\r\n"...)
	}
	if x.Route.Kind == "web" {
		p.Out = append(p.Out, "Content-Type: application/grpc-web+proto\r\nX-Grpc-Web: 1\r\n"...)
	}
	if x.Route.json() {
		p.Out = append(p.Out, "Content-Type: application/json\r\n"...)
	}
	if x.Expect {
		p.Out = append(p.Out, "Expect: 100-continue\r\n"...)
		p.waits = true
		p.w.sys.After(1e9, func() {
			if p.part == x && !p.Over {
				p.waits = false
				p.Stir()
			}
		})
	}
	switch {
	case x.Chunked && len(x.body) > 0:
		p.Out = append(p.Out, "Transfer-Encoding: chunked\r\n"...)
	case len(x.body) > 0 || x.Method == "PUT" || x.Method == "POST":
		p.Out = append(strconv.AppendInt(append(p.Out, "Content-Length: "...), int64(len(x.body)), 10), "\r\n"...)
	}
	p.Out = append(p.Out, "\r\n"...)
	p.part, p.rest = x, x.body
	if len(x.body) == 0 {
		p.part, x.sent = nil, true
	}
	p.cutAt(x, 0)
}

// cutAt has a request end early, if that is planned for what was just appended behind so many
// bytes of it.
func (p *client1) cutAt(x *exchange, before int) {
	if x.Abort != "send" || before+len(p.Out) < x.After && p.part != nil {
		return
	}
	if n := max(0, x.After-before); n < len(p.Out) {
		p.Out, x.sent = p.Out[:n], false
	}
	p.abort, x.gone, p.part = x, true, nil
}

// morePart sends the next piece of a body.
func (p *client1) morePart() {
	x := p.part
	before := len(x.body) - len(p.rest) + 150
	n := min(len(p.rest), 1+p.Random.Below(max(2, len(x.body))))
	if x.Chunked {
		p.Out = http1.AppendChunk(p.Out, p.rest[:n])
	} else {
		p.Out = append(p.Out, p.rest[:n]...)
	}
	if p.rest = p.rest[n:]; len(p.rest) == 0 {
		if x.Chunked {
			p.Out = append(p.Out, "0\r\n"...)
			if x.Asked {
				p.Out = append(strconv.AppendInt(append(p.Out, "x-asked: "...), int64(x.ID), 10), "\r\n"...)
			}
			p.Out = append(p.Out, "\r\n"...)
		}
		x.sent, p.part = true, nil
	}
	p.cutAt(x, before)
}

// giveUp does what a client does that wants no more.
func (p *client1) giveUp(x *exchange) {
	x.gone = true
	for _, other := range p.under {
		other.gone = true
	}
	switch x.How {
	case "shut":
		p.Socket.CloseWrite()
		p.shut = true
	case "reset":
		p.end("reset")
		p.leave("given up")
	default:
		p.leave("given up")
	}
}
