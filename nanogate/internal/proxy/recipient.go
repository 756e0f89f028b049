//go:build linux

package proxy

import "golang.org/x/sys/unix"

// recipient is whom the response of an exchange goes to: a client's connection over HTTP/1.1
// ([downstream]), a stream of one over HTTP/2 ([streams]), or [nobody]. Whatever makes responses
// knows no more of it than this.
type recipient interface {
	// send sends what is in the loop's buffer, which are heads, and a piece of content behind it;
	// last says that nothing follows but the trailers. It reports whether the exchange goes on:
	// else the recipient has gone.
	send(c *client, piece, trailers []byte, last bool) bool
	// cut ends a response that can't be completed.
	cut(c *client)
	// after goes on when all of a response has been taken.
	after(c *client)
	// leave lets go of what the recipient was on.
	leave(c *client)
}

// send implements [recipient].
func (l *downstream) send(c *client, piece, trailers []byte, last bool) bool {
	if errno := l.bodies.write(&c.socket, piece, trailers, c.x.rewrap, last); errno != 0 {
		l.exchanges.clientGone(c)
		return false
	}
	return true
}

// write sends what is in the loop's buffer, and a piece of content behind it: a chunk, if the
// content is chunked. last says that nothing follows but the trailers.
func (l *bodies) write(to *socket, piece, trailers []byte, chunked, last bool) (errno unix.Errno) {
	last = last && chunked
	l.out, piece = chunkOf(l.out, piece, chunked)
	if last && len(piece) == 0 {
		l.out = appendLastChunk(l.out, trailers)
	}
	if len(l.out)+len(piece) > 0 {
		errno = to.out.write(l.Sys, to.fd, l.out, piece)
	}
	if errno == 0 && last && len(piece) > 0 {
		errno = to.out.write(l.Sys, to.fd, appendLastChunk(l.out[:0], trailers), nil)
	}
	l.out = l.out[:0]
	return errno
}

// appendLastChunk appends the end of a body in chunks, with its trailers.
func appendLastChunk(dst, trailers []byte) []byte {
	dst = append(dst, "0\r\n"...)
	return append(append(dst, trailers...), "\r\n"...)
}

// cut implements [recipient]. That a response isn't whole its framing says, and TLS by not saying
// that this is the end; what the client hasn't read yet, of a response before it too, it may
// still read (RFC 9112 8, 9.6). A reset takes that away from it: only what ends with its
// connection is broken off so, as nothing else keeps the client from taking a part for the whole.
func (l *downstream) cut(c *client) {
	c.severed = true
	l.attempts.giveUp(c)
	l.exchanges.end(c)
	if c.x.tunnel || c.x.byClose {
		l.Sys.Reset(c.fd)
		l.exchanges.drop(c)
		return
	}
	c.out.reset()
	l.exchanges.retire(c)
}

// after implements [recipient]: the connection is kept, if it may carry another request.
func (l *downstream) after(c *client) {
	if !c.x.keep {
		l.exchanges.retire(c)
		return
	}
	l.deadlines.await(c, stateIdle)
	if len(c.in) > 0 || c.readable {
		l.later(c)
	} else if c.hungUp && c.ending {
		l.exchanges.drop(c)
	}
}

// leave implements [recipient].
func (l *downstream) leave(c *client) {
	if c.mux != nil {
		l.streams.loseStreams(c)
		c.mux.closed, c.mux = true, nil
	}
	if c.x.byClose && c.x.begun && (c.severed || !c.out.empty()) { // its end would be taken for that of the response
		l.Sys.Reset(c.fd)
	}
	c.close(l.Sys, l.Poller)
	l.Assigned.Add(-1)
	l.server.acceptor.Release()
}

// nobody has asked for the response, and nobody gets it: it is for the store, or to be compared.
// A background exchange goes the way of all others, on the connections, by the versions and within
// the time limits that they have.
type nobody struct{ *loop }

func (l nobody) send(*client, []byte, []byte, bool) bool {
	l.out = l.out[:0]
	return true
}

func (l nobody) cut(c *client) {
	l.attempts.giveUp(c)
	l.exchanges.end(c)
	l.exchanges.drop(c)
}

func (l nobody) after(c *client) { l.exchanges.drop(c) }

func (l nobody) leave(*client) {}
