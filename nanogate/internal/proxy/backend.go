//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/upstream"
)

// backend is what a request is on: a [connection] over HTTP/1.1, or a [call]. It belongs to a
// loop, and to one request at a time.
type backend struct {
	socket         // a call's is its outbox only: what its window has no room for
	id       int32 // in the table of its kind
	up       bool  // the request may be sent on it
	reused   bool  // it has carried a request before
	readable bool  // there may be more to read
	hungUp   bool  // the endpoint has closed its side; what it sent may not be read yet
	queued   bool  // it is among loop.again
	broken   bool  // it takes no more; what it said may not be read yet
	response       // to the request

	endpoint *upstream.Endpoint
	upstream *upstream.Upstream
	client   *client // whose request it carries; nil: none
	in       []byte  // the start of a head, or what the client has no room for

	connection *connection // that it is; nil: it is a call
	call       *call       // that it is; nil: it is a connection
}

// response is how far the response to a request has come on what it was sent on. It begins
// again with each request.
type response struct {
	begun    bool       // a byte of it has come
	headDone bool       // the final head has been read
	toEnd    bool       // its body ends with the connection
	keep     bool       // another request may follow
	tunnel   bool       // another protocol follows, or was asked for
	held     bool       // it waits for a decision: nothing of it goes on
	ended    bool       // it is all in
	cut      bool       // a write has taken the error that says so: the end that is read is none
	body     http1.Body // of it
	trailers []byte     // as lines
	private  []byte     // names of its fields that aren't to be compressed
	interims int        // that came before it
}

// renew readies a response for the next request. Its memory stays.
func (r *response) renew() { *r = response{trailers: r.trailers[:0], private: r.private[:0]} }

// closeBackend ends what no request is on any more.
func (l *exchanges) closeBackend(k *backend) {
	if k.call != nil {
		l.multiplexed.hangUp(k.call)
		return
	}
	l.pools.closeConnection(k.connection)
}
