//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/grpcweb"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/transcode"
)

// kept is what filters keep of an exchange in which they have a hand. It is there from when the
// first of them asks for it until the exchange is over. What is whose says its type, or its
// comment: the exchange itself looks at none of it. A plain exchange has none.
type kept struct {
	web     *grpcweb.Call   // of gRPC-Web: the call that it is made
	changes []byte          // of invalidate: the URL of which it may change what is stored
	json    *transcode.Call // of grpc-json: the call that it is made
	cached  cached
	group   canary.Ticket // of canary: in which it is compared to others
	seat    uint64        // of sticky: the endpoint that the client names; 0: none
	secure  bool          // of sticky: the client came over TLS
	passage passage
	copy    *mirror.Capture // of mirror: of it and its response; of shadow: that it is
	ends    *endings        // of middleware that hears of its end; nil: none does

	explanation *explanation // of the gateway itself: what the response will say; nil: nothing
}

// keep is what filters keep of an exchange: memory for it, if there is none yet.
func (l *loop) keep(x *exchange) *kept {
	if x.kept == nil {
		if n := len(l.unkept); n > 0 {
			x.kept, l.unkept = l.unkept[n-1], l.unkept[:n-1]
		} else {
			x.kept = &kept{}
		}
	}
	return x.kept
}

// forget is done with all of it: this is the only place.
func (l *loop) forget(x *exchange) {
	k := x.kept
	if k == nil {
		return
	}
	x.kept = nil
	k.passage.findings.Forget()
	*k = kept{changes: k.changes[:0], passage: passage{findings: k.passage.findings}}
	if len(l.unkept) < mostSpares {
		l.unkept = append(l.unkept, k)
	}
}
