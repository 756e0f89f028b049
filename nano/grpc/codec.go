package grpc

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	wire "dyno.example/nano/wire/grpc"
)

// codec reads and writes messages of one format.
type codec interface {
	// appendTo appends a message.
	appendTo(b []byte, m any) ([]byte, error)
	// read reads a message, which must not keep data.
	read(data []byte, m any) error
	// contentType is that of responses.
	contentType() string
}

// codecs are those of a server.
type codecs struct {
	forced codec
	proto  codec // what "application/grpc" means
}

// newCodecs finds the codecs that are registered now. There is no list of them, so
// those of other formats are looked up when a client names them.
func newCodecs(forced encoding.CodecV2) codecs {
	c := codecs{proto: protobuf{wire.ContentType}}
	if forced != nil {
		c.forced = codecV2{forced, wire.ContentType + "+" + strings.ToLower(forced.Name())}
	}
	if v2 := encoding.GetCodecV2(protocodec.Name); v2 == nil || !strings.HasPrefix(fmt.Sprintf("%T", v2), "*proto.codec") {
		c.proto = byName(protocodec.Name) // the program has put its own in its place
	}
	return c
}

// byName returns the codec that is registered for a format, or nil.
func byName(format string) codec {
	format = strings.ToLower(format)
	contentType := wire.ContentType + "+" + format
	if v2 := encoding.GetCodecV2(format); v2 != nil {
		return codecV2{v2, contentType}
	}
	if v1 := encoding.GetCodec(format); v1 != nil {
		return codecV1{v1, contentType}
	}
	return nil
}

// of returns the codec for messages of a format, "" being the usual one, or nil.
func (c *codecs) of(format string) codec {
	switch {
	case c.forced != nil:
		return c.forced
	case format == "":
		return c.proto
	case format == protocodec.Name:
		if _, ours := c.proto.(protobuf); ours {
			return protobuf{wire.ContentType + "+proto"}
		}
	}
	return byName(format)
}

// protobuf is Protocol Buffers without detours.
type protobuf struct{ sends string }

func (protobuf) appendTo(b []byte, m any) ([]byte, error) {
	message := messageOf(m)
	if message == nil {
		return b, fmt.Errorf("%T is no message of Protocol Buffers", m)
	}
	return proto.MarshalOptions{}.MarshalAppend(b, message)
}

func (protobuf) read(data []byte, m any) error {
	message := messageOf(m)
	if message == nil {
		return fmt.Errorf("%T is no message of Protocol Buffers", m)
	}
	return proto.Unmarshal(data, message)
}

func (p protobuf) contentType() string { return p.sends }

func messageOf(m any) proto.Message {
	switch m := m.(type) {
	case proto.Message:
		return m
	case protoadapt.MessageV1:
		return protoadapt.MessageV2Of(m)
	}
	return nil
}

// codecV2 is a codec that the program has brought.
type codecV2 struct {
	encoding.CodecV2
	sends string
}

func (f codecV2) appendTo(b []byte, m any) ([]byte, error) {
	parts, err := f.Marshal(m)
	if err != nil {
		return b, err
	}
	for _, p := range parts {
		b = append(b, p.ReadOnlyData()...)
	}
	parts.Free()
	return b, nil
}

func (f codecV2) read(data []byte, m any) error {
	parts := mem.BufferSlice{mem.Copy(data, mem.DefaultBufferPool())} // it may keep them
	defer parts.Free()
	return f.Unmarshal(parts, m)
}

func (f codecV2) contentType() string { return f.sends }

// codecV1 is a codec of the first version of the interface.
type codecV1 struct {
	encoding.Codec
	sends string
}

func (o codecV1) appendTo(b []byte, m any) ([]byte, error) {
	data, err := o.Marshal(m)
	return append(b, data...), err
}

func (o codecV1) read(data []byte, m any) error { return o.Unmarshal(append([]byte(nil), data...), m) }

func (o codecV1) contentType() string { return o.sends }

// encode writes a message with its prefix into the call's memory.
func (k *call) encode(m any) ([]byte, error) {
	s := k.s
	var prefix [wire.PrefixLen]byte
	out, err := k.codec.appendTo(append(s.out[:0], prefix[:]...), m)
	s.out = out
	if err != nil {
		return nil, status.Errorf(codes.Internal, "encoding the response: %v", err)
	}
	packed := k.packer != nil && len(out) > wire.PrefixLen
	if packed {
		if out, err = s.pack(k.packer, out); err != nil {
			return nil, status.Errorf(codes.Internal, "compressing the response: %v", err)
		}
	}
	n := len(out) - wire.PrefixLen
	if most := k.server.options.MaxSend; n > most {
		return nil, status.Errorf(codes.ResourceExhausted, "trying to send message larger than max (%d vs. %d)", n, most)
	}
	wire.PutPrefix(out, n, packed)
	return out, nil
}

// decode reads a message that came.
func (k *call) decode(data []byte, packed bool, m any) error {
	if packed {
		var err error
		if data, err = k.unpack(data); err != nil {
			return err
		}
	}
	if err := k.codec.read(data, m); err != nil {
		return status.Errorf(codes.Internal, "reading the request's message: %v", err)
	}
	return nil
}

// receiveWhole reads the one message of a request that has no more.
func (k *call) receiveWhole(m any) error {
	most := int64(k.server.options.MaxRecv)
	if err := k.c.LimitBody(most + wire.PrefixLen); err != nil {
		return k.tooLarge()
	}
	if !k.deadline.IsZero() {
		_ = k.c.SetDeadline(k.deadline)
	}
	body, err := k.c.Body()
	switch {
	case err != nil:
		return k.failure(err)
	case len(body) == 0:
		return status.Error(codes.Internal, "the request has no message")
	case len(body) < wire.PrefixLen:
		return status.Error(codes.Internal, "the request ends in the prefix of its message")
	}
	n, packed, err := wire.ParsePrefix(body)
	switch rest := uint64(len(body) - wire.PrefixLen); {
	case err != nil:
		return status.Error(codes.Internal, err.Error())
	case uint64(n) > uint64(most):
		return k.tooLarge()
	case uint64(n) > rest:
		return status.Error(codes.Internal, "the request ends before its message")
	case uint64(n) < rest:
		return status.Error(codes.Internal, "the request has more than the one message of its method")
	}
	return k.decode(body[wire.PrefixLen:], packed, m)
}

func (k *call) tooLarge() error {
	return status.Errorf(codes.ResourceExhausted, "received message larger than max (%d)", k.server.options.MaxRecv)
}
