package grpc

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/proto"

	wire "dyno.example/nano/wire/grpc"
)

// TestMessageSizes: messages beyond the limits, in both directions, compressed and not.
func TestMessageSizes(t *testing.T) {
	const most = 100 << 10
	big := func(s testgrpc.TestService_StreamingInputCallServer) error {
		for {
			if _, err := s.Recv(); err == io.EOF {
				return s.SendAndClose(&testgrpc.StreamingInputCallResponse{})
			} else if err != nil {
				return err
			}
		}
	}
	f := serve(t, Options{MaxRecv: most, MaxSend: most}, with(&service{
		in: big,
		unary: func(_ context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
			return &testgrpc.SimpleResponse{Payload: payload(int(r.ResponseSize))}, nil
		},
	}))
	for _, tt := range []struct {
		name           string
		request, reply int
		options        []grpc.CallOption
		want           codes.Code
	}{
		{"within", most - 100, most - 100, nil, codes.OK},
		{"request", most + 1, 0, nil, codes.ResourceExhausted},
		{"much larger request", 3 << 20, 0, nil, codes.ResourceExhausted},
		{"response", 0, most + 1, nil, codes.ResourceExhausted},
		{"compressed within", most - 100, 0, []grpc.CallOption{grpc.UseCompressor("gzip")}, codes.OK},
		{"larger when decompressed", most + 1, 0, []grpc.CallOption{grpc.UseCompressor("gzip")}, codes.ResourceExhausted},
	} {
		_, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(tt.request), ResponseSize: int32(tt.reply)}, tt.options...)
		if got := wantStatus(t, err, tt.want); t.Failed() {
			t.Fatalf("unary, %s: %v", tt.name, got)
		}
		if tt.reply > tt.request {
			continue
		}
		s, err := f.StreamingInputCall(ctxOf(t), tt.options...)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Send(&testgrpc.StreamingInputCallRequest{Payload: payload(1)})
		_ = s.Send(&testgrpc.StreamingInputCallRequest{Payload: payload(tt.request)}) // an error shows again
		_, err = s.CloseAndRecv()
		if got := wantStatus(t, err, tt.want); t.Failed() {
			t.Fatalf("stream, %s: %v", tt.name, got)
		}
	}
}

// sizes hears how large the client's messages were on the wire.
type sizes struct{ sent, received []int }

func (s *sizes) HandleRPC(_ context.Context, r stats.RPCStats) {
	switch r := r.(type) {
	case *stats.OutPayload:
		s.sent = append(s.sent, r.CompressedLength)
	case *stats.InPayload:
		s.received = append(s.received, r.CompressedLength)
	}
}

func (s *sizes) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (s *sizes) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (s *sizes) HandleConn(context.Context, stats.ConnStats)                       {}

// TestCompression: a response is compressed as its request was, or as the handler says.
func TestCompression(t *testing.T) {
	var told sync.Mutex // of what follows
	use := ""
	var refused error
	seen := &sizes{}
	f := serve(t, Options{}, with(&service{unary: func(ctx context.Context, r *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
		told.Lock()
		defer told.Unlock()
		refused = nil
		if use != "" {
			refused = SetSendCompressor(ctx, use)
		}
		return echo(ctx, r)
	}}), grpc.WithStatsHandler(seen))
	const size = 10_000
	for _, tt := range []struct {
		use                 string
		options             []grpc.CallOption
		compressed, refused bool
	}{
		{"", nil, false, false},
		{"", []grpc.CallOption{grpc.UseCompressor("gzip")}, true, false},
		{"gzip", nil, true, false},
		{"identity", []grpc.CallOption{grpc.UseCompressor("gzip")}, false, false},
		{"snappy", nil, false, true},
	} {
		told.Lock()
		use = tt.use
		told.Unlock()
		*seen = sizes{}
		if _, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(size)}, tt.options...); err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if got := seen.received[0] < size; got != tt.compressed {
			t.Errorf("%+v: %d bytes were received", tt, seen.received[0])
		}
		told.Lock()
		if (refused != nil) != tt.refused {
			t.Errorf("%+v: %v", tt, refused)
		}
		told.Unlock()
	}
}

// plainCodec is a codec that the program forces.
type plainCodec struct{}

func (plainCodec) Name() string { return "plain" }

func (plainCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, err := json.Marshal(v)
	return mem.BufferSlice{mem.SliceBuffer(b[:1]), mem.SliceBuffer(b[1:])}, err
}

func (plainCodec) Unmarshal(data mem.BufferSlice, v any) error {
	return json.Unmarshal(data.Materialize(), v)
}

func init() { encoding.RegisterCodecV2(plainCodec{}) } // as the package asks

// TestCodecs: what the client names, and what the program forces.
func TestCodecs(t *testing.T) {
	for name, o := range map[string]Options{"named": {}, "forced": {Codec: plainCodec{}}} {
		f := serve(t, o, with(&service{unary: echo}))
		r, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(3)}, grpc.CallContentSubtype("plain"))
		if err != nil || len(r.Payload.Body) != 3 {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	f := serve(t, Options{}, with(&service{unary: echo}))
	if r, err := f.UnaryCall(ctxOf(t), &testgrpc.SimpleRequest{Payload: payload(3)}, grpc.CallContentSubtype("proto")); err != nil || len(r.Payload.Body) != 3 {
		t.Errorf("proto: %v, %v", r, err)
	}
}

// TestBytes: what well-made clients don't send, as bytes over HTTP/2.
func TestBytes(t *testing.T) {
	f := serve(t, Options{MaxRecv: 1000}, with(&service{
		unary: echo,
		in: func(s testgrpc.TestService_StreamingInputCallServer) error {
			for {
				if _, err := s.Recv(); err != nil && err != io.EOF {
					return err
				} else if err != nil {
					return s.SendAndClose(&testgrpc.StreamingInputCallResponse{})
				}
			}
		},
		out: func(r *testgrpc.StreamingOutputCallRequest, s testgrpc.TestService_StreamingOutputCallServer) error {
			return s.Send(&testgrpc.StreamingOutputCallResponse{})
		},
	}))
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	message, err := proto.Marshal(&testgrpc.SimpleRequest{Payload: payload(10)})
	if err != nil {
		t.Fatal(err)
	}
	whole := string(wire.AppendPrefix(nil, len(message), false)) + string(message)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(message)
	z.Close()
	packed := string(wire.AppendPrefix(nil, zipped.Len(), true)) + zipped.String()
	unary, in, out := "UnaryCall", "StreamingInputCall", "StreamingOutputCall"
	for _, tt := range []struct {
		name, method, body string
		fields             map[string]string
		status             int
		code               string // grpc-status, wherever it is
	}{
		{"a message", unary, whole, nil, 200, "0"},
		{"two messages", unary, whole + whole, nil, 200, "13"},
		{"two messages for a stream out", out, whole + whole, nil, 200, "13"},
		{"none", unary, "", nil, 200, "13"},
		{"none for a stream out", out, "", nil, 200, "13"},
		{"none for a stream in", in, "", nil, 200, "0"},
		{"part of a prefix", unary, whole[:3], nil, 200, "13"},
		{"part of a prefix for a stream", in, whole[:3], nil, 200, "13"},
		{"part of a message", unary, whole[:9], nil, 200, "13"},
		{"part of a message for a stream", in, whole[:9], nil, 200, "13"},
		{"a flag of 2", unary, "\x02" + whole[1:], nil, 200, "13"},
		{"a flag of 2 for a stream", in, "\x02" + whole[1:], nil, 200, "13"},
		{"a length of 4 GiB", unary, "\x00\xff\xff\xff\xff" + whole, nil, 200, "8"},
		{"a length of 4 GiB for a stream", in, "\x00\xff\xff\xff\xff" + whole, nil, 200, "8"},
		{"not a message", unary, "\x00\x00\x00\x00\x02\xff\xff", nil, 200, "13"},
		{"compressed", unary, packed, map[string]string{"Grpc-Encoding": "gzip"}, 200, "0"},
		{"compressed, by nothing", unary, packed, nil, 200, "13"},
		{"compressed, by something else", unary, packed, map[string]string{"Grpc-Encoding": "zstd"}, 200, "12"},
		{"compressed, but not", unary, "\x01" + whole[1:], map[string]string{"Grpc-Encoding": "gzip"}, 200, "13"},
		{"a timeout that is none", unary, whole, map[string]string{"Grpc-Timeout": "soon"}, 200, "13"},
		{"a deadline that has passed", unary, whole, map[string]string{"Grpc-Timeout": "0n"}, 200, "0"},
		{"another content type", unary, whole, map[string]string{"Content-Type": "application/json"}, 415, ""},
		{"another format", unary, whole, map[string]string{"Content-Type": "application/grpc+thrift"}, 415, ""},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			req, err := http.NewRequestWithContext(ctxOf(t), "POST", "http://"+f.conn.CanonicalTarget()[len("passthrough:///"):]+"/grpc.testing.TestService/"+tt.method, io.NopCloser(strings.NewReader(tt.body)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/grpc")
			req.Header.Set("Te", "trailers")
			for name, value := range tt.fields {
				req.Header.Set(name, value)
			}
			r, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Fatal(err)
			}
			code := r.Trailer.Get("Grpc-Status") + r.Header.Get("Grpc-Status")
			if r.StatusCode != tt.status || code != tt.code {
				t.Errorf("%d, grpc-status %q %q, want %d, %q", r.StatusCode, code, r.Header.Get("Grpc-Message"), tt.status, tt.code)
			}
			if tt.code == "12" && r.Header.Get("Grpc-Accept-Encoding") == "" {
				t.Error("the client isn't told what it may use")
			}
		})
	}
}
