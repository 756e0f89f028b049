//go:build linux

package proxy

// recipient is where the response of an exchange goes: a client's connection over HTTP/1.1
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

// nobody has requested the response, and nobody gets it: it is for the store, or to be compared.
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
