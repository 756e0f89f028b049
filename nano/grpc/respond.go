package grpc

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"dyno.example/nano"
	wire "dyno.example/nano/wire/grpc"
)

// addHead lays out the fields of the response's head, before it is opened. The caller
// has k.mu.
func (k *call) addHead() {
	k.sent = true
	if k.packer != nil && k.wrong == nil {
		k.s.body.AddHeader(k.c, wire.FieldEncoding, k.packer.Name())
	}
	if len(k.header) > 0 {
		eachField(k.header, func(name, value string) { k.s.body.AddHeader(k.c, name, value) })
	}
}

// sendHead begins the response.
func (k *call) sendHead() error {
	k.addHead()
	return k.s.body.Open(k.c, 200, k.codec.contentType(), -1)
}

// reply sends the message of a unary call.
func (k *call) reply(m any) error {
	out, err := k.encode(m)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.sent {
		if err := k.sendHead(); err != nil {
			return err
		}
	}
	if len(out) > slowReply && !k.deadline.IsZero() {
		_ = k.c.SetDeadline(k.deadline)
	}
	_, err = k.s.body.Write(out)
	return k.failure(err)
}

// slowReply is the size of responses that may have to wait for the client, in bytes.
const slowReply = 32 << 10

// finish ends the response with the status that err is.
func (k *call) finish(err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := &k.s.body
	if err == nil && k.sent {
		b.Trailer(wire.FieldStatus, "0")
		eachField(k.trailer, b.Trailer)
		_ = b.Close() // an error: the client has gone
		return nil
	}
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	add := b.Trailer
	if !k.sent && len(k.header) > 0 {
		if err := k.sendHead(); err != nil {
			return err
		}
	}
	alone := !k.sent // the head is all there is ("Trailers-Only"), so that clients may try again
	if alone {
		add = func(name, value string) { b.AddHeader(k.c, name, value) }
		if k.wrong != nil && st.Code() == codes.Unimplemented {
			add(wire.FieldAccepts, acceptedEncodings())
		}
	}
	add(wire.FieldStatus, strconv.Itoa(int(st.Code())))
	if text := st.Message(); text != "" {
		add(wire.FieldMessage, string(wire.AppendMessage(nil, text)))
	}
	if p := st.Proto(); len(p.GetDetails()) > 0 {
		details, err := proto.Marshal(p)
		if err != nil {
			k.server.options.Logger.Error("the details of a status can't be sent", "method", k.method.name, "error", err)
		} else {
			add(wire.FieldDetails, string(wire.AppendBinary(nil, details)))
		}
	}
	eachField(k.trailer, add)
	if alone {
		k.sent = true
		if err := b.Open(k.c, 200, k.codec.contentType(), -1); err != nil {
			return err
		}
	}
	_ = b.Close() // an error: the client has gone
	return nil
}

// failure makes a status of an error of nano's.
func (k *call) failure(err error) error {
	if err == nil {
		return nil
	}
	return k.statusOf(err)
}

// statusOf is failure for an error: it allocates.
func (k *call) statusOf(err error) error {
	var problem *nano.Problem
	switch {
	case !k.deadline.IsZero() && errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(k.deadline):
		return status.Error(codes.DeadlineExceeded, context.DeadlineExceeded.Error())
	case errors.Is(err, nano.ErrBodyTooLarge):
		return status.Errorf(codes.ResourceExhausted, "received message larger than max (%d)", k.server.options.MaxRecv)
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, context.Canceled.Error())
	case errors.As(err, &problem):
		return status.Error(codes.Internal, problem.Detail)
	}
	return status.Error(codes.Unavailable, err.Error())
}
