//go:build linux

package simulator

import (
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
)

var limits1 = http1.Limits{Head: 64 << 10, URI: 32 << 10, Fields: 200}

const (
	closesWithin = 20e9  // ns, that the server has to end a connection whose end it has told
	stallsFor    = 200e9 // ns: longer than any limit
)

// client1 is a client's end of a connection over HTTP/1.1.
type client1 struct {
	peer
	queue   []*exchange // that are to be sent
	under   []*exchange // that were sent and have no response yet, the oldest first
	last    *exchange   // that has had its response
	part    *exchange   // that is being sent
	rest    []byte      // of its body
	waits   bool        // for 100 Continue
	abort   *exchange   // whose client does what it does when all is written
	shut    bool        // it sends no more
	closing bool        // the last response has come
	in      []byte
	head    http1.ResponseHead
	body    http1.Body
	inBody  bool
	toEnd   bool
	j       judge
}

func (p *client1) act() {
	if up, over := p.Socket.Up(); !up && !over {
		return
	}
	if !p.deaf {
		b, errno := p.Read()
		switch {
		case len(b) > 0:
			p.in = append(p.in, b...)
			p.take()
		case errno == 0:
			p.lost(!p.Reset)
		case errno != unix.EAGAIN:
			p.lost(false)
		}
	}
	if !p.Over {
		p.send()
	}
}

// lost is when the connection has ended, well or by a reset.
func (p *client1) lost(well bool) {
	if p.inBody && p.toEnd && well {
		p.inBody = false
		p.j.ended(nil)
		p.under = p.under[1:]
		p.passOn()
	}
	if p.last != nil && p.last.partly && !p.inBody && len(p.under) > 0 && p.under[0].handled == 0 { // it was too late to say that its response is the last
		p.passOn()
	}
	p.leave()
}

// leave closes the connection. What has no response won't get one; what wasn't sent is sent on
// another one.
func (p *client1) leave() {
	if p.Over {
		return
	}
	if len(p.under) > 1 && p.w.mayClose(p.c, p.under[0]) { // what comes behind the last response to be may reset it
		p.under[0].gone = true
	}
	for i, x := range p.under { // a handler that ends the connection takes what wasn't sent before along
		if x.handled > 0 && x.Do.breaks() {
			for _, before := range p.under[:i] {
				before.gone = true
			}
		}
	}
	for i, x := range p.under {
		if i > 0 || !p.inBody {
			p.j = judge{w: p.w, x: x}
		}
		p.j.cut()
		for _, other := range p.under[i+1:] { // they share its fate
			other.gone = true
		}
	}
	p.under = nil
	p.end(false)
	p.w.goOn(p.c, p.queue)
}

// passOn has what was sent behind the last response be sent again, on another connection.
func (p *client1) passOn() {
	for _, x := range p.under {
		if x.handled > 0 {
			p.w.violate("served-behind-last", "%s", x)
		}
		x.again()
	}
	p.queue = append(append([]*exchange{}, p.under...), p.queue...)
	p.under, p.part = nil, nil
}

// take takes in what has come.
func (p *client1) take() {
	for len(p.under) > 0 && !p.Over && !p.closing && !p.deaf {
		x := p.under[0]
		if !p.inBody && !p.takeHead(x) {
			return
		}
		if p.Over || !p.inBody {
			continue
		}
		used, data, err := len(p.in), len(p.in), error(nil)
		if !p.toEnd {
			used, data, err = p.body.Feed(p.in)
		}
		p.j.take(p.in[:data])
		p.in = p.in[:copy(p.in, p.in[used:])]
		if err != nil {
			p.w.violate("protocol", "the content is framed wrongly, %v: %s", err, x)
			p.leave()
			return
		}
		if x.Abort == "receive" && p.j.got >= x.After {
			p.fail(x)
			return
		}
		if p.toEnd || !p.body.Done() {
			return
		}
		p.responded(x)
	}
	if len(p.in) > 0 && len(p.under) == 0 && !p.Over && !p.closing {
		p.unasked()
	}
}

// takeHead takes the head of a response. It reports whether there is one.
func (p *client1) takeHead(x *exchange) bool {
	if len(p.in) == 0 {
		return false
	}
	n, err := p.head.Parse(p.in, x.Method == "HEAD", &limits1)
	if err != nil {
		p.w.violate("protocol", "%v in %q for %s", err, p.in[:min(len(p.in), 200)], x)
		p.leave()
		return false
	}
	if n == 0 {
		return false
	}
	b := p.in[:n]
	get := func(name string) string {
		for _, f := range p.head.Fields {
			if http1.EqualFold(f.Name.Of(b), name) {
				return string(f.Value.Of(b))
			}
		}
		return ""
	}
	switched := x.switches() && p.head.Status == 101
	if x.switches() && p.head.Status >= 200 && p.part == x { // what was to follow doesn't
		p.part, p.rest, p.waits = nil, nil, false
	}
	if p.head.Status < 200 && !switched {
		if p.head.Status != 100 || !x.Expect {
			p.w.violate("protocol", "%d for %s", p.head.Status, x)
		}
		p.waits = p.waits && p.part != x
	} else {
		p.j = judge{w: p.w, x: x}
		p.inBody, p.toEnd = true, p.head.UntilClose || switched
		if !switched {
			p.body.StartResponse(&p.head)
		}
		p.j.head(p.head.Status, get)
		p.waits = p.waits && p.part != x
	}
	p.in = p.in[:copy(p.in, p.in[n:])]
	if p.inBody {
		p.Stir()
	}
	return true
}

// unasked is when something came that belongs to no request.
func (p *client1) unasked() {
	n, err := p.head.Parse(p.in, false, &limits1)
	if !p.w.tight() && !(p.shut || err == nil && n > 0 && p.head.Status == 400) {
		p.w.violate("protocol", "%q came without a request", p.in[:min(len(p.in), 200)])
	}
	p.leave()
}

// responded is when a response is whole.
func (p *client1) responded(x *exchange) {
	p.w.sys.Note("told", p.Socket.Serial(), uint64(x.ID), uint64(p.head.Status))
	text, _ := p.body.Trailers()
	p.j.ended(text)
	p.inBody, p.last = false, x
	p.under = p.under[1:]
	if p.head.KeepAlive {
		p.Stir()
		return
	}
	if !p.w.mayClose(p.c, x) {
		p.w.violate("not-kept", "the connection ends with the response to %s", x)
	}
	p.passOn()
	p.closing = true
	p.Unsaid()
	p.abort = nil
	p.w.sys.After(closesWithin, func() {
		if !p.Over {
			p.w.violate("not-closed", "behind the response to %s", x)
			p.leave()
		}
	})
}

// send sends what is to be sent now.
func (p *client1) send() {
	for !p.Over && !p.closing {
		if !p.Flush() {
			return
		}
		if x := p.abort; x != nil {
			if x.Abort == "told" && !x.waiting {
				p.looks()
				return
			}
			p.abort = nil
			p.fail(x)
			continue
		}
		if p.part != nil {
			if p.waits {
				return
			}
			p.morePart()
			continue
		}
		if len(p.queue) == 0 || p.shut {
			if len(p.under) == 0 {
				p.leave()
			}
			return
		}
		if n := len(p.under); n >= p.c.Depth || n > 0 && p.under[n-1].switches() {
			return
		}
		p.next()
	}
}

// next begins the next request.
func (p *client1) next() {
	x := p.queue[0]
	p.queue = p.queue[1:]
	p.under = append(p.under, x)
	x.begin(&p.peer)
	p.w.sys.Note("ask", p.Socket.Serial(), uint64(x.ID), 0)
	minor := 1
	if p.c.Old {
		minor = 0
	}
	start := len(p.Out)
	p.Out = fmt.Appendf(p.Out, "%s %s HTTP/1.%d\r\nHost: world.example\r\nX-Token: %d\r\n", x.Method, x.path(), minor, x.ID)
	if p.c.Old && p.c.Keeps {
		p.Out = append(p.Out, "Connection: keep-alive\r\n"...)
	}
	if x.Expect {
		p.Out = append(p.Out, "Expect: 100-continue\r\n"...)
		p.waits = true
		p.w.sys.After(1e9, func() {
			if p.part == x && !p.Over {
				if p.waits && p.under[0] == x && x.reading && !p.deaf && !p.w.mayCut(x) {
					p.w.violate("no-continue", "for %s", x)
				}
				p.waits = false
				p.Stir()
			}
		})
	}
	switch {
	case x.switches():
		p.Out = append(p.Out, "Connection: upgrade\r\nUpgrade: other\r\n"...)
		p.waits = !x.eager()
	case x.Chunked:
		p.Out = append(p.Out, "Transfer-Encoding: chunked\r\n"...)
	case x.Method == "PUT" || x.Method == "POST":
		p.Out = append(strconv.AppendInt(append(p.Out, "Content-Length: "...), int64(x.Body), 10), "\r\n"...)
	}
	p.Out = append(p.Out, "\r\n"...)
	x.wrote = 0
	p.part, p.rest = x, x.body
	if len(x.body) == 0 && !x.Chunked {
		p.wholeSent(x)
	}
	p.cutAt(x, start)
}

// wholeSent is when all of a request is written, or about to be.
func (p *client1) wholeSent(x *exchange) {
	x.sent, p.part, p.waits = true, nil, false
	if x.Abort == "told" || x.Abort == "send" && x.After >= 1<<30 {
		p.abort = x
	}
}

// cutAt has a request end early, if that is planned for what was just appended.
func (p *client1) cutAt(x *exchange, start int) {
	n := len(p.Out) - start
	if x.Abort == "send" && x.wrote+n >= x.After {
		p.Out = p.Out[:start+max(x.After-x.wrote, 0)]
		p.abort, x.sent, p.part, p.waits = x, false, nil, false
	}
	x.wrote += n
}

// morePart sends the next piece of a body.
func (p *client1) morePart() {
	x, start := p.part, len(p.Out)
	n := min(len(p.rest), 1+p.Random.Below(max(2, len(x.body))))
	switch {
	case x.Chunked && n > 0:
		p.Out = http1.AppendChunk(p.Out, p.rest[:n])
	default:
		p.Out = append(p.Out, p.rest[:n]...)
	}
	if p.rest = p.rest[n:]; len(p.rest) == 0 {
		if x.Chunked {
			p.Out = append(p.Out, "0\r\n"...)
			if x.Trailers {
				p.Out = append(strconv.AppendInt(append(p.Out, "X-Asked: "...), int64(x.ID), 10), "\r\n"...)
			}
			p.Out = append(p.Out, "\r\n"...)
		}
		p.wholeSent(x)
	}
	p.cutAt(x, start)
}

// fail does what a client does that fails, or that sends no more.
func (p *client1) fail(x *exchange) {
	x.left = x.Abort == "told"
	if x.fails() {
		for _, other := range p.under {
			other.gone = true
		}
	}
	switch x.How {
	case "shut":
		p.Socket.CloseWrite()
		p.shut = true
	case "reset":
		p.end(true)
		p.Over, p.w.open = false, p.w.open+1
		p.leave()
	case "close":
		p.leave()
	case "stall":
		p.deaf, p.shut, p.abort, p.part = true, true, nil, nil
		p.w.sys.After(stallsFor, func() {
			p.stalled(x.String(), slices.ContainsFunc(p.under, func(x *exchange) bool { return x.switches() }), p.leave)
		})
	}
}
