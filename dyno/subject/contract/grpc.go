package contract

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/dyno/load/rpc"
	"dyno.example/internal/i18n"
)

// VerifyCalls checks the health of a gRPC service at baseURL ("http://host:port", or
// https), reads its methods by reflection, makes every call and checks statuses and
// messages. It returns a [*Refusal] with all that is wrong, or an error if ctx has
// ended.
func (v *Verifier) VerifyCalls(ctx context.Context, baseURL string, calls []Call) error {
	u, err := url.Parse(baseURL)
	if err != nil {
		return err
	}
	server, secure := &rpc.Server{Address: u.Host}, insecure.NewCredentials()
	if u.Scheme == "https" {
		server.TLS = v.TLS.Clone()
		secure = credentials.NewTLS(server.TLS)
	}
	conn, err := grpc.NewClient("passthrough:///"+u.Host, grpc.WithTransportCredentials(secure), grpc.WithNoProxy())
	if err != nil {
		return err
	}
	defer conn.Close()
	refusal := &Refusal{Subject: baseURL}
	note := func(route, what, expected string, err error) {
		refusal.Problems = append(refusal.Problems, Problem{Route: route, What: what, Diff: []string{"- " + expected, "+ " + err.Error()}})
	}
	if err := server.Health(ctx, ""); err != nil {
		note("grpc.health.v1.Health/Check", "health", "SERVING", err)
	}
	for i := range calls {
		c := &calls[i]
		service, _, _ := strings.Cut(c.Method, "/")
		var m protoreflect.MethodDescriptor
		services, err := server.Reflect(ctx, nil, service)
		if err == nil {
			m, err = services.Method(c.Method)
		}
		if err != nil {
			note(c.title(), "reflection", c.Method, err)
			continue
		}
		for _, p := range c.run(ctx, conn, m) {
			p.Route = c.title()
			refusal.Problems = append(refusal.Problems, p)
		}
	}
	if ctx.Err() != nil {
		return i18n.Errorf("runner.verify-subject", "verify the subject at %s: %w", baseURL, context.Cause(ctx))
	}
	if len(refusal.Problems) > 0 {
		return refusal
	}
	return nil
}

// run makes the call. The messages of a bidirectional stream are sent one by one, each
// after the response to the last.
func (c *Call) run(ctx context.Context, conn *grpc.ClientConn, m protoreflect.MethodDescriptor) []Problem {
	ctx, cancel := context.WithTimeout(ctx, respondWithin)
	defer cancel()
	got, err := c.exchange(ctx, conn, m)
	var wrong *wrongMessage
	if errors.As(err, &wrong) {
		return []Problem{{What: "message", Diff: []string{"- one for " + string(m.Input().FullName()), "+ " + wrong.Error()}}}
	}
	return c.Expect.judge(got, status.Convert(err))
}

// wrongMessage is an error of the contract's own: a message that doesn't fit its method.
type wrongMessage struct{ error }

// exchange sends all messages and takes what comes until the call ends, which is the
// error.
func (c *Call) exchange(ctx context.Context, conn *grpc.ClientConn, m protoreflect.MethodDescriptor) (got []any, err error) {
	both := m.IsStreamingClient() && m.IsStreamingServer()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+c.Method)
	if err != nil {
		return nil, err
	}
	for _, message := range c.Send {
		in, err := encode(message, m.Input())
		if err != nil {
			return nil, &wrongMessage{err}
		}
		if err := stream.SendMsg(in); err != nil && !errors.Is(err, io.EOF) { // EOF: RecvMsg says why
			return nil, err
		}
		if both {
			if got, err = receive(stream, m.Output(), got); err != nil {
				return got, ended(err)
			}
		}
	}
	if err := stream.CloseSend(); err != nil {
		return got, err
	}
	for {
		if got, err = receive(stream, m.Output(), got); err != nil {
			return got, ended(err)
		}
	}
}

// ended is nil for the end of a call that went well.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func encode(message any, of protoreflect.MessageDescriptor) (*dynamicpb.Message, error) {
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(of)
	return m, protojson.Unmarshal(text, m)
}

// receive adds the next message.
func receive(stream grpc.ClientStream, of protoreflect.MessageDescriptor, got []any) ([]any, error) {
	m := dynamicpb.NewMessage(of)
	if err := stream.RecvMsg(m); err != nil {
		return got, err
	}
	text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(m)
	if err != nil {
		return got, err
	}
	value, err := DecodeJSON(text)
	return append(got, value), err
}

// judge compares a response with what was expected.
func (e *CallExpect) judge(got []any, s *status.Status) []Problem {
	if s.Code() != e.Status || !strings.HasPrefix(s.Message(), e.Says) {
		line := "+ " + s.Code().String()
		if s.Message() != "" {
			line += ": " + shorten(s.Message())
		}
		expected := "- " + e.Status.String()
		if e.Says != "" {
			expected += ": " + e.Says + "…"
		}
		return []Problem{{What: "status", Diff: []string{expected, line}}}
	}
	if e.Status != codes.OK && len(e.Messages) == 0 {
		return nil
	}
	if !EqualJSON(list(e.Messages), list(got)) {
		return []Problem{{What: "messages", Diff: diff(indentJSON(normalJSON(list(e.Messages))), indentJSON(normalJSON(list(got))))}}
	}
	return nil
}

// list makes an empty list of none: they are the same.
func list(messages []any) []any {
	if messages == nil {
		return []any{}
	}
	return messages
}
