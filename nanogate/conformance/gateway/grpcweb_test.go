//go:build linux

package gateway_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	xhttp2 "golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
)

const testMethods = "/grpc.testing.TestService/"

// webbed is a gateway that takes gRPC-Web before a test service.
func webbed(t testing.TB, route string) (address string, service *testService) {
	t.Helper()
	upstream, service, _ := grpcServer(t)
	_, address = start(t, "routes: [{grpc-web: true, to: u"+route+"}]\nupstreams: {u: [\"h2c://"+upstream+"\"]}\n")
	return address, service
}

// Calls of connect-go's client over gRPC-Web come to a server of grpc-go, over both
// versions of HTTP.
func TestGRPCWeb(t *testing.T) {
	for version := 1; version <= 2; version++ {
		for name, options := range map[string][]connect.ClientOption{"plain": nil, "gzip": {connect.WithSendGzip()}} {
			t.Run(fmt.Sprint(version, name), func(t *testing.T) {
				at, _ := webbed(t, "")
				client := clientOver(t, version)
				options := append(options, connect.WithGRPCWeb())
				unary := connect.NewClient[testgrpc.SimpleRequest, testgrpc.SimpleResponse](client, "http://"+at+testMethods+"UnaryCall", options...)
				for _, size := range []int{0, 1, 20_000, 300_000} {
					r := connect.NewRequest(&testgrpc.SimpleRequest{ResponseSize: int32(size), Payload: &testgrpc.Payload{Body: make([]byte, size)}})
					r.Header().Set("X-Request", "a")
					got, err := unary.CallUnary(soon(t), r)
					if err != nil || len(got.Msg.GetPayload().GetBody()) != size {
						t.Fatalf("%d: %v", size, err)
					}
					trailer, _ := connect.DecodeBinaryHeader(got.Trailer().Get("X-Trailing-Bin"))
					if got.Header().Get("X-Request") != "a" || string(trailer) != "\x00\xff" {
						t.Errorf("%v, %v", got.Header(), got.Trailer())
					}
				}
				_, err := unary.CallUnary(soon(t), connect.NewRequest(&testgrpc.SimpleRequest{ResponseStatus: &testgrpc.EchoStatus{Code: 9, Message: "fünf"}}))
				if e := (*connect.Error)(nil); !errors.As(err, &e) || e.Code() != connect.CodeFailedPrecondition || e.Message() != "fünf" {
					t.Errorf("%v", err)
				}
				webStreams(t, client, "http://"+at+testMethods, options)
			})
		}
	}
}

// webStreams makes calls with streams of either side.
func webStreams(t *testing.T, client *http.Client, url string, options []connect.ClientOption) {
	out, err := connect.NewClient[testgrpc.StreamingOutputCallRequest, testgrpc.StreamingOutputCallResponse](client, url+"StreamingOutputCall", options...).
		CallServerStream(soon(t), connect.NewRequest(&testgrpc.StreamingOutputCallRequest{ResponseParameters: sizes(1, 50_000, 0, 200_000)}))
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for out.Receive() {
		got = append(got, len(out.Msg().GetPayload().GetBody()))
	}
	if fmt.Sprint(got) != "[1 50000 0 200000]" || out.Err() != nil {
		t.Errorf("%v, %v", got, out.Err())
	}
	out.Close()
	in := connect.NewClient[testgrpc.StreamingInputCallRequest, testgrpc.StreamingInputCallResponse](client, url+"StreamingInputCall", options...).CallClientStream(soon(t))
	for range 20 {
		if err := in.Send(&testgrpc.StreamingInputCallRequest{Payload: &testgrpc.Payload{Body: make([]byte, 10_000)}}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := in.CloseAndReceive(); err != nil || r.Msg.GetAggregatedPayloadSize() != 200_000 {
		t.Errorf("%v, %v", r, err)
	}
}

// message is a message as bodies hold it.
func message(t testing.TB, m proto.Message) string {
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string([]byte{0, byte(len(b) >> 24), byte(len(b) >> 16), byte(len(b) >> 8), byte(len(b))}) + string(b)
}

// frames takes a body apart: messages, and the lines of the trailers.
func frames(t testing.TB, body string) (messages []string, trailers string) {
	t.Helper()
	for len(body) > 0 {
		n := 0
		if len(body) >= 5 {
			n = int(body[1])<<24 | int(body[2])<<16 | int(body[3])<<8 | int(body[4])
		}
		if len(body) < 5+n || trailers != "" {
			t.Fatalf("%q isn't frames", body)
		}
		if body[0] == 0x80 {
			trailers = body[5 : 5+n]
		} else {
			messages = append(messages, body[5:5+n])
		}
		body = body[5+n:]
	}
	return messages, trailers
}

// Base64, in parts with padding of their own, as scripts that can't read bytes have it.
func TestGRPCWebInBase64(t *testing.T) {
	at, _ := webbed(t, "")
	sent := message(t, &testgrpc.SimpleRequest{ResponseSize: 4, Payload: &testgrpc.Payload{Body: []byte("hello")}})
	var body string
	for len(sent) > 0 {
		n := min(len(sent), 4)
		body += base64.StdEncoding.EncodeToString([]byte(sent[:n]))
		sent = sent[n:]
	}
	c := dial(t, at)
	for _, size := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n3\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", body[:3], len(body)-3, body[3:])} {
		c.send("POST %sUnaryCall HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc-web-text\r\nX-Grpc-Web: 1\r\n%s", testMethods, size)
		resp, text := c.response(t, "POST") // on the same connection
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/grpc-web-text" {
			t.Fatalf("%v", resp)
		}
		var plain []byte
		for len(text) > 0 { // part by part, as each has its padding
			part, err := base64.StdEncoding.DecodeString(text[:4])
			if err != nil {
				t.Fatal(err)
			}
			plain, text = append(plain, part...), text[4:]
		}
		messages, trailers := frames(t, string(plain))
		var r testgrpc.SimpleResponse
		if len(messages) != 1 || proto.Unmarshal([]byte(messages[0]), &r) != nil || string(r.GetPayload().GetBody()) != "rrrr" || !strings.Contains(trailers, "grpc-status: 0\r\n") {
			t.Errorf("%q, %q", messages, trailers)
		}
	}
	c.send("POST %sUnaryCall HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc-web-text\r\nContent-Length: 6\r\n\r\nAAAAAA", testMethods)
	if resp, _ := c.response(t, "POST"); resp.StatusCode != 200 || resp.Header.Get("Grpc-Status") != "13" {
		t.Errorf("what isn't base64: %v", resp)
	}
}

// The gateway's own responses are statuses without messages, and the connection goes on.
func TestGRPCWebRefused(t *testing.T) {
	upstream, service, _ := grpcServer(t)
	service.hook = failing(codes.Unavailable)
	_, at := start(t, `routes:
  - {match: {path: /nobody}, grpc-web: true, to: h2c://`+nobody+`}
  - {match: {path: /denied}, grpc-web: true, deny: [127.0.0.0/8], to: h2c://`+upstream+`}
  - {match: {path: /large}, grpc-web: true, body: 10B, to: h2c://`+upstream+`}
  - {match: {path: "/grpc.testing.TestService/*"}, grpc-web: true, cors: {origins: ["https://a.example"], headers: [x-mine]}, to: h2c://`+upstream+`}
`)
	body := message(t, &testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: make([]byte, 50)}})
	for version := 1; version <= 2; version++ {
		for path, code := range map[string]codes.Code{"/nobody": codes.Unavailable, "/denied": codes.PermissionDenied, "/large": codes.ResourceExhausted, testMethods + "UnaryCall": codes.Unavailable, testMethods + "None": codes.Unimplemented} {
			req, _ := http.NewRequest("POST", "http://"+at+path, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/grpc-web+proto")
			req.Header.Set("Origin", "https://a.example")
			resp, err := clientOver(t, version).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(resp.Body)
			if err != nil || len(rest) > 0 || resp.StatusCode != 200 || resp.Header.Get("Grpc-Status") != fmt.Sprint(uint32(code)) || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/grpc-web") {
				t.Errorf("%s over HTTP/%d: %v %q %v", path, version, resp, rest, err)
			}
			if strings.HasPrefix(path, testMethods) && (resp.Header.Get("Access-Control-Allow-Origin") != "https://a.example" || !strings.Contains(resp.Header.Get("Access-Control-Expose-Headers"), "grpc-status, grpc-message, grpc-status-details-bin")) {
				t.Errorf("a script can't read it: %v", resp.Header)
			}
		}
		req, _ := http.NewRequest("OPTIONS", "http://"+at+testMethods+"UnaryCall", nil)
		req.Header.Set("Origin", "https://a.example")
		req.Header.Set("Access-Control-Request-Method", "POST")
		req.Header.Set("Access-Control-Request-Headers", "content-type,x-grpc-web,x-user-agent,grpc-timeout")
		resp, err := clientOver(t, version).Do(req)
		if err != nil || resp.StatusCode != 204 || resp.Header.Get("Access-Control-Allow-Headers") != "x-mine, content-type, x-grpc-web, x-user-agent, grpc-timeout" || !strings.Contains(resp.Header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("preflight: %v, %v", resp, err)
		}
	}
}

// A response that breaks off between two messages ends with a status; in the middle of one
// nothing can follow, and the client sees that it isn't whole.
func TestGRPCWebCut(t *testing.T) {
	whole := "\x00\x00\x00\x00\x03abc"
	url := framedServer(t, func(f *framed) {
		f.requests(func(h *xhttp2.MetaHeadersFrame) {
			f.head(h.StreamID, false, ":status", "200", "content-type", "application/grpc")
			if h.PseudoValue("path") == "/between" {
				f.WriteData(h.StreamID, false, []byte(whole))
			} else {
				f.WriteData(h.StreamID, false, []byte(whole[:6]))
			}
			f.WriteRSTStream(h.StreamID, xhttp2.ErrCodeEnhanceYourCalm)
		})
	})
	_, at := start(t, "routes: [{grpc-web: true, to: \""+url+"\"}]\n")
	for version := 1; version <= 2; version++ {
		for _, path := range []string{"/between", "/amid"} {
			resp, err := clientOver(t, version).Post("http://"+at+path, "application/grpc-web+proto", strings.NewReader(whole))
			if err != nil {
				if path == "/between" {
					t.Errorf("HTTP/%d %s: %v", version, path, err)
				}
				continue // the reset was as fast as the head
			}
			body, err := io.ReadAll(resp.Body)
			if path == "/amid" {
				if err == nil {
					t.Errorf("HTTP/%d: a part came as the whole: %q", version, body)
				}
				continue
			}
			messages, trailers := frames(t, string(body))
			if err != nil || len(messages) != 1 || !strings.Contains(trailers, "grpc-status: 8\r\n") {
				t.Errorf("HTTP/%d: %q, %q, %v", version, messages, trailers, err)
			}
		}
	}
}

// Without grpc-web, and on a route with it what isn't gRPC-Web, goes on as it is.
func TestGRPCWebIsAskedFor(t *testing.T) {
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		w.Write(body)
	})
	_, at := start(t, "routes: [{match: {path: /on}, grpc-web: true, to: u}, {to: u}]\nupstreams: {u: [\""+url+"\"]}\n")
	for _, tt := range []struct{ path, kind string }{{"/off", "application/grpc-web-text"}, {"/on", "text/plain"}} {
		resp, err := clientOver(t, 1).Post("http://"+at+tt.path, tt.kind, bytes.NewReader([]byte("YWJj")))
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != "YWJj" || resp.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s: %q, %v", tt.path, body, resp.Header)
		}
	}
}
