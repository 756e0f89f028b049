package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/websocket"
)

// mostPongs is how much a server can make a connection owe it, in bytes of pongs that
// the kernel has yet to take. Pings beyond that get no pong (RFC 6455 5.5.3: the latest
// one is what counts).
const mostPongs = 64 << 10

// webSockets is what an event loop has for WebSockets (RFC 6455). A connection has one
// message under way, whose response is the next message that comes on it; or it only
// listens.
type webSockets struct {
	loop    *eventLoop
	sockets []socket // by the loop's conns
	random  *rand.ChaCha8
	head    http1.ResponseHead // of the handshake that is looked at
	options *request.WebSocket
	stamp   *stamp.Stamp // nil: messages have none
	wall    wallClock
	handled int // messages in this turn
}

// socket is what a connection of the loop has for WebSockets.
type socket struct {
	outbox
	frames  websocket.Reader
	key     [websocket.KeyLength]byte
	partial []byte // start of the handshake's response
	text    []byte // of a message that is looked at for its stamp
	pinged  bool   // the server has sent a ping on this connection
	closing bool   // a close frame was sent: the peer's, and the end, are waited for
	known   bool   // it was up before
	free    bool   // its message has its response, and the next is due once all that came is processed
}

func newWebSockets(l *eventLoop) (*webSockets, error) {
	var seed [32]byte
	for i := range seed[:16] {
		seed[i] = byte(l.Seed>>(8*(i&7))) ^ byte(i)
	}
	seed[16] = byte(l.Part)
	seed[17] = byte(l.Part >> 8)
	w := &webSockets{loop: l, sockets: make([]socket, l.Most), random: rand.NewChaCha8(seed), options: l.Link.WebSocket}
	if s := w.options.Stamp; s != nil {
		var err error
		if w.stamp, err = s.Compile(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// greet sends the handshake (RFC 6455 4.1).
func (w *webSockets) greet(id int32) {
	l, k := w.loop, &w.sockets[id]
	c := &l.conns[id]
	c.state = greeting
	k.frames = websocket.Reader{MaxMessage: w.options.Most()}
	k.partial, k.out, k.pinged, k.closing, k.free = k.partial[:0], k.out[:0], false, false, false
	var nonce [16]byte
	_, _ = w.random.Read(nonce[:]) // it never fails
	k.key = websocket.Key(nonce)
	wire := l.mix.handshakeOf(&c.exchange, l.now)
	k.out = append(k.out, wire[:len(wire)-len(lineEnd)]...)
	k.out = append(k.out, "Sec-WebSocket-Key: "...)
	k.out = append(k.out, k.key[:]...)
	k.out = append(k.out, "\r\n\r\n"...)
	w.flush(id)
}

// read takes what came.
func (w *webSockets) read(id int32, data []byte) {
	l, k := w.loop, &w.sockets[id]
	c := &l.conns[id]
	gen := c.gen
	if c.state == greeting {
		data = w.shake(id, data)
	}
	for c.gen == gen && c.state > greeting {
		n, ev, err := k.frames.Next(data)
		if err != nil {
			w.violated(id, err)
			return
		}
		if ev.Kind == websocket.More {
			w.flush(id)
			break
		}
		data = data[n:]
		w.event(id, &ev)
	}
	if k.free && c.gen == gen && c.state == ready {
		k.free = false
		l.release(id)
	}
}

// shake takes bytes of the handshake's response, and returns what is behind it.
func (w *webSockets) shake(id int32, data []byte) (rest []byte) {
	l, k := w.loop, &w.sockets[id]
	c := &l.conns[id]
	if len(k.partial) > 0 {
		k.partial = append(k.partial, data...)
		data = k.partial
	}
	n, err := w.head.Parse(data, false, &http1.Limits{Head: http1.MaxHead, Fields: mostFields})
	if err != nil {
		c.copy(data)
		l.refused(id, measure.HandshakeError, i18n.Join(err, beginning(data)))
		return nil
	}
	if n == 0 {
		if len(k.partial) == 0 {
			k.partial = append(k.partial, data...)
		}
		return nil
	}
	if s := w.head.Status; s >= 100 && s < 200 && s != 101 { // another one follows
		rest = data[n:]
		k.partial = k.partial[:0]
		if len(rest) == 0 {
			return nil
		}
		return w.shake(id, bytes.Clone(rest))
	}
	if l.rec != nil {
		l.rec.countOther(w.head.Status)
	}
	if why := w.denied(data, k); why != "" {
		c.copy(data)
		l.Errors.cause(measure.HandshakeError, fmt.Sprint(w.head.Status))
		l.refused(id, measure.HandshakeError, i18n.Verbatim(why))
		return nil
	}
	w.opened(id)
	return data[n:]
}

// denied says why a response to the handshake doesn't open a WebSocket (RFC 6455 4.1),
// "" if it does.
func (w *webSockets) denied(data []byte, k *socket) string {
	if w.head.Status != 101 {
		return "the server refused the WebSocket: " + request.StatusText(w.head.Status)
	}
	upgrade, connection, accepted := false, false, false
	for i := range w.head.Fields {
		f := &w.head.Fields[i]
		name, value := f.Name.Of(data), f.Value.Of(data)
		switch {
		case http1.EqualFold(name, "upgrade"):
			upgrade = http1.EqualFold(value, "websocket")
		case http1.EqualFold(name, "connection"):
			connection = connection || http1.ListHas(value, "upgrade")
		case http1.EqualFold(name, "sec-websocket-accept"):
			accept := websocket.Accept(k.key[:])
			accepted = bytes.Equal(value, accept[:])
		case http1.EqualFold(name, "sec-websocket-extensions"):
			return fmt.Sprintf("the server wants an extension that was not offered, %q (RFC 6455 4.1)", value)
		}
	}
	switch {
	case !upgrade || !connection:
		return "the server's 101 response doesn't upgrade to websocket (RFC 6455 4.1)"
	case !accepted:
		return "the server's Sec-WebSocket-Accept is not the one for our key (RFC 6455 4.1)"
	}
	return ""
}

// opened is called when the handshake is done.
func (w *webSockets) opened(id int32) {
	l, k := w.loop, &w.sockets[id]
	pushes := w.options.Pushes()
	if pushes && k.known && l.listening() {
		l.rec.Messages.Reconnects++
	}
	k.known = true
	if c := &l.conns[id]; pushes && l.Program.says() {
		k.out = w.frame(k.out, l.mix.next(&c.exchange, l.now))
		if l.listening() {
			l.rec.Messages.Out++
		}
	}
	l.connector.usable(id)
}

// frame appends a message.
func (w *webSockets) frame(dst, message []byte) []byte {
	op := websocket.Text
	if w.options.Binary {
		op = websocket.Binary
	}
	mask := w.mask()
	return websocket.AppendFrame(dst, op, true, message, &mask)
}

// mask is a new one for each frame (RFC 6455 5.3).
func (w *webSockets) mask() (mask [4]byte) {
	m := uint32(w.random.Uint64())
	return [4]byte{byte(m), byte(m >> 8), byte(m >> 16), byte(m >> 24)}
}

func (w *webSockets) send(id int32) {
	l, k := w.loop, &w.sockets[id]
	c := &l.conns[id]
	if l.Profile.Mode == profile.Open || c.served == 0 || l.thinkers.think.Mean > 0 {
		l.now = clock.Now()
	}
	l.work++
	c.pending = false
	k.out = w.frame(k.out, l.mix.next(&c.exchange, l.now))
	l.sends(id)
	l.rec.Messages.Out++
	w.flush(id)
}

// event deals with one thing that the server has sent.
func (w *webSockets) event(id int32, ev *websocket.Event) {
	k := &w.sockets[id]
	switch ev.Kind {
	case websocket.Payload:
		if w.options.Pushes() {
			w.pushed(k, ev)
		} else {
			w.received(id, ev)
		}
	case websocket.PingFrame:
		k.pinged = true
		if len(k.out) < mostPongs {
			mask := w.mask()
			k.out = websocket.AppendFrame(k.out, websocket.Pong, true, ev.Data, &mask)
		}
		if w.loop.rec != nil {
			w.loop.rec.Messages.Pings++
		}
	case websocket.CloseFrame:
		w.closed(id, ev)
	}
}

// received takes a part of a message from a server that responds to messages.
func (w *webSockets) received(id int32, ev *websocket.Event) {
	l := w.loop
	c := &l.conns[id]
	if c.state != busy {
		if ev.Ends {
			l.fault(measure.BodyError, i18n.New("engine.unsolicited-message", "the server sent a message that is no response to one of ours; if it sends on its own, give --answers none"))
		}
		return
	}
	if c.first == 0 {
		c.first = l.now
	}
	if c.request.Keeps == request.KeepBody {
		c.copy(ev.Data)
	}
	if !ev.Ends {
		return
	}
	w.handled++
	l.rec.left(c.intended, l.now)
	l.due.Stop(id)
	l.rec.Messages.In++
	l.Errors.judgedMessage(&c.exchange, l.rec, Times{c.intended, c.sent, c.first, l.now})
	c.state = ready
	if l.usedUp(c) {
		w.close(id)
		return
	}
	w.sockets[id].free = true // a close frame may be behind it, after which nothing can be sent
}

// pushed takes a part of a message that a server sends on its own.
func (w *webSockets) pushed(k *socket, ev *websocket.Event) {
	l := w.loop
	data := ev.Data
	if w.stamp != nil && !(ev.Begins && ev.Ends) {
		if ev.Begins {
			k.text = k.text[:0]
		}
		k.text = append(k.text, data...)
		data = k.text
	}
	if !ev.Ends || !l.listening() {
		return
	}
	w.handled++
	stamped, ok := int64(0), false
	if w.stamp != nil {
		if stamped, ok = w.stamp.Of(nil, data); ok && w.stamp.Wall() {
			stamped = w.wall.monotonic(stamped, l.now)
		}
	}
	l.came(stamped, w.stamp != nil, ok)
}

// close begins the end of a connection that has carried all it may: it is the server
// that closes it (RFC 6455 7.1.1).
func (w *webSockets) close(id int32) {
	l, k := w.loop, &w.sockets[id]
	k.closing = true
	l.due.Start(id, l.now)
	mask := w.mask()
	k.out = websocket.AppendClose(k.out, websocket.NormalClosure, "", &mask)
	w.flush(id)
}

// closed deals with a close frame of the server.
func (w *webSockets) closed(id int32, ev *websocket.Event) {
	l, k := w.loop, &w.sockets[id]
	if k.closing {
		return // its end follows
	}
	status := websocket.StatusName(ev.Code)
	why := "the server closed the WebSocket: " + status
	if len(ev.Reason) > 0 {
		why += fmt.Sprintf(", %q", ev.Reason)
	}
	mask := w.mask()
	k.out = websocket.AppendClose(k.out, ev.Code, "", &mask)
	w.flush(id)
	l.Errors.cause(measure.CloseError, status)
	normal := ev.Code == websocket.NormalClosure || ev.Code == websocket.GoingAway || ev.Code == websocket.NoStatus
	switch {
	case l.conns[id].state == down: // sending that has failed
	case l.conns[id].state == ready && normal:
		w.idle(id)
	default:
		l.lose(id, measure.CloseError, i18n.Verbatim(why))
	}
}

// idle gives up a connection without a message under way.
func (w *webSockets) idle(id int32) {
	l := w.loop
	if !w.options.Pushes() {
		l.lostIdle(id)
		return
	}
	l.connector.drop(id)
	l.connector.retries.Start(id, max(l.now, 1))
}

// violated ends a connection on which the server broke the protocol.
func (w *webSockets) violated(id int32, err error) {
	l, k := w.loop, &w.sockets[id]
	wrong := err.(*websocket.Violation)
	kind := measure.ProtocolError
	switch wrong.Fault {
	case websocket.BadMask:
		kind = measure.MaskedError
	case websocket.BadUTF8:
		kind = measure.UTF8Error
	case websocket.Oversize:
		kind = measure.OversizeError
	}
	l.Errors.cause(kind, wrong.Fault.String())
	if !k.closing {
		mask := w.mask()
		k.out = websocket.AppendClose(k.out, wrong.Status(), "", &mask)
		w.flush(id)
	}
	if l.conns[id].state != down {
		l.lose(id, kind, i18n.Verbatim(wrong.What))
	}
}

func (w *webSockets) ended(id int32) {
	w.gone(id, i18n.New("engine.websocket-abnormal-closure", "the server closed the connection without a close frame (RFC 6455 7.1.5: 1006 abnormal closure)"))
}

func (w *webSockets) broke(id int32, why i18n.Message) {
	if w.loop.conns[id].state == greeting { // such as a client's certificate that was not accepted
		w.loop.connector.connectFailed(id, i18n.Fail(why))
		return
	}
	w.gone(id, why)
}

// gone is called when nothing can come any more on a connection.
func (w *webSockets) gone(id int32, why i18n.Message) {
	l, k := w.loop, &w.sockets[id]
	c := &l.conns[id]
	switch {
	case c.state == down:
	case c.state == greeting:
		l.connector.connectFailed(id, errNoHandshake)
	case k.closing:
		l.connector.drop(id)
		l.connector.again(id)
	case c.state == busy, w.options.Pushes(), k.frames.InMessage():
		l.Errors.cause(measure.ResetError, websocket.StatusName(websocket.AbnormalClosure))
		l.lose(id, measure.ResetError, why)
	default:
		l.lostIdle(id)
	}
}

func (w *webSockets) timedOut(id int32) {
	l := w.loop
	c := &l.conns[id]
	if c.state != busy { // it was closing
		l.connector.drop(id)
		l.connector.again(id)
		return
	}
	l.rec.waitedFor(c.request, c.intended, c.sent, l.now)
	why := i18n.New("engine.no-response-in-time", "no response within %v", l.Timeout)
	if c.first != 0 {
		why = i18n.Join(why, i18n.New("engine.begun-then", ": it had begun by then"))
	}
	l.failRequest(id, measure.TimeoutError, why)
}

func (w *webSockets) flush(id int32) { w.loop.handOver(id, &w.sockets[id].outbox) }

// quiet: without pings a message is sent when the one before has its response.
func (w *webSockets) quiet(id int32) bool { return !w.sockets[id].pinged && !w.options.Pushes() }

func (w *webSockets) turn() {}

func (w *webSockets) worth() int {
	n := w.handled / messagesPerEvent
	w.handled = 0
	return n
}

func (w *webSockets) leave(id int32) {
	k := &w.sockets[id]
	if s := w.loop.conns[id].state; s != ready && s != busy || k.closing {
		return
	}
	mask := w.mask()
	k.out = websocket.AppendClose(k.out, websocket.NormalClosure, "", &mask)
	w.flush(id)
}
