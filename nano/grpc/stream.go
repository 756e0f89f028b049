package grpc

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	wire "dyno.example/nano/wire/grpc"
)

// serverStream is a call with a stream of messages. One goroutine may receive while
// another one sends.
type serverStream struct {
	call
	sending, receiving sync.Mutex
	timer              *time.Timer // ends waiting at the call's deadline
	inbound            inbound
	any                bool        // a message has come
	left               bool        // the handler has returned
	open               atomic.Bool // messages may be sent
}

var _ grpc.ServerStream = (*serverStream)(nil)

// begin readies the stream for its handler.
func (s *serverStream) begin() {
	s.inbound = inbound{from: s.c.BodyReader(), buf: s.s.in[:0]}
	if !s.deadline.IsZero() {
		s.timer = time.AfterFunc(time.Until(s.deadline), s.late)
	}
}

// late ends what waits for the client, as the client's deadline has passed.
func (s *serverStream) late() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		_ = s.c.SetDeadline(s.deadline)
	}
}

// stop takes the stream from its handler, which has returned. Goroutines that it has
// left behind find it at its end.
func (s *serverStream) stop() {
	if s.left {
		return
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	for _, mu := range [...]*sync.Mutex{&s.sending, &s.receiving} {
		if !mu.TryLock() {
			_ = s.c.SetDeadline(time.Unix(1, 0))
			mu.Lock()
		}
	}
	s.s.in, s.inbound = s.inbound.buf, inbound{}
	s.mu.Lock()
	s.left = true
	s.open.Store(false)
	s.mu.Unlock()
	s.sending.Unlock()
	s.receiving.Unlock()
}

// Context implements grpc.ServerStream.
func (s *serverStream) Context() context.Context { return &s.call }

// SetTrailer implements grpc.ServerStream.
func (s *serverStream) SetTrailer(md metadata.MD) {
	if err := s.call.SetTrailer(md); err != nil {
		s.server.options.Logger.Error("the trailer of a call can't be set", "method", s.method.name, "error", err)
	}
}

// SendMsg implements grpc.ServerStream.
func (s *serverStream) SendMsg(m any) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if !s.open.Load() {
		if err := s.openStream(); err != nil {
			return err
		}
	}
	out, err := s.encode(m)
	if err != nil {
		return err
	}
	return s.failure(s.s.body.Send(out))
}

// openStream begins the response, if SendHeader has not done so.
func (s *serverStream) openStream() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return errOver
	}
	if !s.sent {
		if err := s.sendHead(); err != nil {
			return s.failure(err)
		}
	}
	s.open.Store(true)
	return nil
}

// RecvMsg implements grpc.ServerStream.
func (s *serverStream) RecvMsg(m any) error {
	s.receiving.Lock()
	defer s.receiving.Unlock()
	if s.inbound.from == nil {
		return errOver
	}
	err := s.receive(m)
	switch {
	case s.method.stream.ClientStreams:
		return err
	case err == io.EOF && !s.any:
		return status.Error(codes.Internal, "the request has no message")
	case err != nil:
		return err
	}
	s.any = true
	switch err := s.inbound.need(1); err { // nothing may follow
	case nil:
		return status.Error(codes.Internal, "the request has more than the one message of its method")
	case io.EOF:
		return nil
	default:
		return s.failure(err)
	}
}

// receive reads the next message; io.EOF: there is none.
func (s *serverStream) receive(m any) error {
	in := &s.inbound
	switch err := in.need(wire.PrefixLen); err {
	case nil:
	case io.EOF:
		return io.EOF
	case io.ErrUnexpectedEOF:
		return status.Error(codes.Internal, "the request ends in the prefix of a message")
	default:
		return s.failure(err)
	}
	size, packed, err := wire.ParsePrefix(in.buf[in.at:])
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if most := s.server.options.MaxRecv; uint64(size) > uint64(most) {
		return status.Errorf(codes.ResourceExhausted, "received message larger than max (%d vs. %d)", size, most)
	}
	whole := wire.PrefixLen + int(size)
	switch err := in.need(whole); err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		return status.Error(codes.Internal, "the request ends in a message")
	default:
		return s.failure(err)
	}
	data := in.buf[in.at+wire.PrefixLen : in.at+whole]
	in.at += whole
	return s.decode(data, packed, m)
}

// inbound reads ahead of messages.
type inbound struct {
	from io.Reader
	buf  []byte
	at   int // bytes of buf that were used
}

const firstInbound = 4 << 10 // bytes of a buffer at first

// need reads until there are n bytes from at on. io.EOF says that there are none,
// io.ErrUnexpectedEOF that there are fewer. The buffer grows as bytes come, not as they
// are announced.
func (in *inbound) need(n int) error {
	for len(in.buf)-in.at < n {
		if in.at == len(in.buf) {
			in.buf, in.at = in.buf[:0], 0
		}
		if len(in.buf) == cap(in.buf) {
			rest := in.buf[in.at:]
			to := in.buf[:0]
			if len(rest) >= cap(in.buf)/2 {
				to = make([]byte, 0, max(2*cap(in.buf), firstInbound))
			}
			in.buf, in.at = to[:copy(to[:cap(to)], rest)], 0
		}
		got, err := in.from.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+got]
		switch {
		case got > 0:
		case err == io.EOF && len(in.buf) > in.at:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}
