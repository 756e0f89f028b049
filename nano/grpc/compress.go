package grpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	wire "dyno.example/nano/wire/grpc"
)

// SetSendCompressor has the response's messages compressed by the compressor that is
// registered under the name with google.golang.org/grpc/encoding, or not at all for
// "identity". It has to be called before the response's header is sent. Without it a
// response is compressed as its request says that it is.
func SetSendCompressor(ctx context.Context, name string) error {
	k, ok := grpc.ServerTransportStreamFromContext(ctx).(*call)
	if !ok {
		return errors.New("grpc: SetSendCompressor: the context is not that of a call of this server")
	}
	var c encoding.Compressor
	if name != wire.Identity {
		if c = encoding.GetCompressor(name); c == nil {
			return errors.New("grpc: SetSendCompressor: no compressor is registered as " + name)
		}
		if !k.clientTakes(name) {
			return errors.New("grpc: SetSendCompressor: the client takes no " + name)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.beforeHead(); err != nil {
		return err
	}
	k.packer = c
	return nil
}

// clientTakes reports whether the client has said that it can decompress an encoding.
func (k *call) clientTakes(name string) bool {
	for _, list := range k.incoming()[wire.FieldAccepts] {
		for one := range strings.SplitSeq(list, ",") {
			if strings.TrimSpace(one) == name {
				return true
			}
		}
	}
	return false
}

// acceptedEncodings are those that clients may use, for grpc-accept-encoding. There is
// no list of what is registered: gzip is all that most know.
func acceptedEncodings() string {
	if encoding.GetCompressor("gzip") != nil {
		return "identity,gzip"
	}
	return wire.Identity
}

// appender is a Writer that appends to bytes.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// pack compresses a message; out, and what is returned, begin with room for a prefix.
func (s *scratch) pack(c encoding.Compressor, out []byte) ([]byte, error) {
	to := &appender{append(s.packed[:0], out[:wire.PrefixLen]...)}
	w, err := c.Compress(to)
	if err == nil {
		if _, err = w.Write(out[wire.PrefixLen:]); err == nil {
			err = w.Close()
		}
	}
	s.packed = to.b
	return to.b, err
}

// unpack decompresses a message, of which no more is read than a message may have.
func (k *call) unpack(data []byte) ([]byte, error) {
	if k.packed == "" {
		return nil, status.Error(codes.Internal, "a message is compressed, and grpc-encoding doesn't tell how")
	}
	c := encoding.GetCompressor(k.packed)
	if c == nil {
		return nil, status.Errorf(codes.Unimplemented, "the server can't decompress %q", k.packed)
	}
	from, err := c.Decompress(bytes.NewReader(data))
	if err != nil {
		return nil, status.Errorf(codes.Internal, "decompressing the request's message: %v", err)
	}
	most := k.server.options.MaxRecv
	to := &appender{k.s.plain[:0]}
	_, err = io.Copy(to, io.LimitReader(from, int64(most)+1))
	k.s.plain = to.b
	if closer, ok := from.(io.Closer); ok {
		_ = closer.Close()
	}
	switch {
	case err != nil:
		return nil, status.Errorf(codes.Internal, "decompressing the request's message: %v", err)
	case len(to.b) > most:
		return nil, k.tooLarge()
	}
	return to.b, nil
}
