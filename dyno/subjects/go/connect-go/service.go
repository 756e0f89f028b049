package main

import (
	"context"
	"errors"
	"io"
	"time"

	"connectrpc.com/connect"

	"echoservice"
	"echoservice/echov1"
)

// service implements echov1connect.EchoHandler.
type service struct {
	wait time.Duration // before each response to a unary call
}

// Unary implements echov1connect.EchoHandler.
func (s service) Unary(ctx context.Context, in *connect.Request[echov1.Message]) (*connect.Response[echov1.Message], error) {
	if err := echoservice.CheckText(in.Msg.Text); err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	if err := echoservice.Pause(ctx, s.wait); err != nil {
		return nil, err
	}
	return connect.NewResponse(&echov1.Message{Text: in.Msg.Text}), nil
}

// ServerStream implements echov1connect.EchoHandler.
func (s service) ServerStream(_ context.Context, in *connect.Request[echov1.Repeat], out *connect.ServerStream[echov1.Message]) error {
	if err := echoservice.CheckCount(in.Msg.Count); err != nil {
		return connect.NewError(connect.CodeInvalidArgument, err)
	}
	for range in.Msg.Count {
		if err := out.Send(&echov1.Message{Text: in.Msg.Text}); err != nil {
			return err
		}
	}
	return nil
}

// ClientStream implements echov1connect.EchoHandler.
func (s service) ClientStream(_ context.Context, in *connect.ClientStream[echov1.Message]) (*connect.Response[echov1.Tally], error) {
	var sum echov1.Tally
	for in.Receive() {
		sum.Messages++
		sum.Bytes += int64(len(in.Msg().Text))
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return connect.NewResponse(&sum), nil
}

// BidiStream implements echov1connect.EchoHandler.
func (s service) BidiStream(_ context.Context, both *connect.BidiStream[echov1.Message, echov1.Message]) error {
	for {
		m, err := both.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := both.Send(&echov1.Message{Text: m.Text}); err != nil {
			return err
		}
	}
}
