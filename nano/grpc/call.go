package grpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"dyno.example/nano"
	wire "dyno.example/nano/wire/grpc"
)

// call is one call. It is the context of its handler, in which grpc.SetHeader and the
// like find it again. It is made for each call and not reused: code that keeps a
// context may use it for as long as it likes.
type call struct {
	server   *Server
	method   *method
	c        nano.Ctx
	s        *scratch // the call's as long as it lasts
	codec    codec
	wrong    error     // the request can't be served
	deadline time.Time // the client's; zero: none
	packed   string    // how the client compresses messages; "": not

	mu      sync.Mutex
	ended   bool            // the handler has returned: c is another's
	base    context.Context // what ctx is made of; nil until first used
	cancel  context.CancelFunc
	in      metadata.MD // nil until first used
	from    *peer.Peer  // the same
	header  metadata.MD // to be sent
	trailer metadata.MD
	sent    bool                // the response's head is
	packer  encoding.Compressor // of the response; nil: it isn't compressed
}

var (
	_ context.Context            = (*call)(nil)
	_ grpc.ServerTransportStream = (*call)(nil)
)

// scratch is the memory that calls use in turn.
type scratch struct {
	k      *call // the call it belongs to
	decode func(any) error
	body   nano.Stream
	out    []byte // a message with its prefix
	packed []byte // the same, compressed
	in     []byte // what came of a stream
	plain  []byte // a message that came, decompressed
}

const spareBuffer = 64 << 10 // bytes of a buffer that are kept for the next call

func newScratch() *scratch {
	s := &scratch{}
	s.decode = func(m any) error { return s.k.receiveWhole(m) }
	return s
}

// accept reads a request's head. It fails if the request isn't a gRPC call.
func (k *call) accept() error {
	c := k.c
	if c.Proto() != "HTTP/2.0" {
		return nano.NewProblem(505, "gRPC needs HTTP/2")
	}
	format, ok := wire.SplitContentType(unsafeString(c.Header("Content-Type")))
	if !ok {
		return nano.NewProblem(415, "the Content-Type of gRPC begins with application/grpc")
	}
	if k.codec = k.server.codecs.of(format); k.codec == nil {
		return nano.NewProblem(415, "no codec is registered for the messages' format")
	}
	if text := c.Header(wire.FieldTimeout); text != nil {
		d, err := wire.ParseTimeout(text)
		if err != nil {
			k.wrong = status.Error(codes.Internal, err.Error())
		}
		k.deadline = time.Now().Add(d)
	}
	if name := c.Header(wire.FieldEncoding); name != nil && string(name) != wire.Identity {
		k.packed = string(name)
		if k.packer = encoding.GetCompressor(k.packed); k.packer == nil {
			k.wrong = status.Errorf(codes.Unimplemented, "the server can't decompress %q", k.packed)
		}
	}
	k.s = k.server.spare.Get().(*scratch)
	k.s.k = k
	return nil
}

// over ends the call: its handler has returned, or panicked.
func (k *call) over() {
	k.mu.Lock()
	k.ended = true
	cancel := k.cancel
	k.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	s := k.s
	s.k = nil
	s.out, s.packed, s.in, s.plain = spare(s.out), spare(s.packed), spare(s.in), spare(s.plain)
	k.server.spare.Put(s)
}

func spare(b []byte) []byte {
	if cap(b) > spareBuffer {
		return nil
	}
	return b[:0]
}

// context returns what the request's context is for the handler.
func (k *call) context() context.Context {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.base != nil:
	case k.ended:
		return endedContext{}
	case k.deadline.IsZero():
		k.base = k.c.Context()
	default:
		k.base, k.cancel = context.WithDeadline(k.c.Context(), k.deadline)
	}
	return k.base
}

// Deadline implements context.Context.
func (k *call) Deadline() (time.Time, bool) { return k.context().Deadline() }

// Done implements context.Context.
func (k *call) Done() <-chan struct{} { return k.context().Done() }

// Err implements context.Context.
func (k *call) Err() error {
	err := k.context().Err()
	if err != nil && errors.Is(err, context.Canceled) {
		return context.Canceled // some compare it
	}
	return err
}

// Value implements context.Context. The values that grpc's functions look up are made
// at the first lookup.
func (k *call) Value(key any) any {
	switch key {
	case incomingKey:
		return k.incoming()
	case streamKey:
		return k
	case peerKey:
		return k.peer()
	}
	return k.context().Value(key)
}

// endedContext is the context of a call that has ended without one.
type endedContext struct{}

func (endedContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (endedContext) Done() <-chan struct{}       { return closed }
func (endedContext) Err() error                  { return context.Canceled }
func (endedContext) Value(any) any               { return nil }

var closed = func() chan struct{} { ch := make(chan struct{}); close(ch); return ch }()

// The context keys of grpc's functions. The packages don't export them, so they are
// found by calling the functions with a context that records the key.
var (
	incomingKey = keyOf(func(ctx context.Context) { metadata.FromIncomingContext(ctx) })
	streamKey   = keyOf(func(ctx context.Context) { grpc.ServerTransportStreamFromContext(ctx) })
	peerKey     = keyOf(func(ctx context.Context) { peer.FromContext(ctx) })
)

func keyOf(ask func(context.Context)) any {
	listener := &keyListener{Context: context.Background()}
	ask(listener)
	return listener.key
}

// keyListener records the key that is looked up.
type keyListener struct {
	context.Context
	key any
}

func (l *keyListener) Value(key any) any {
	l.key = key
	return nil
}
