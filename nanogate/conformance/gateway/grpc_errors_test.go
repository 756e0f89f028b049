//go:build linux

package gateway_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
)

// call sends a call's head, and its only message.
func (f *framed) call(stream uint32, path string, pairs ...string) {
	f.head(stream, false, append([]string{":method", "POST", ":scheme", "http", ":authority", "h", ":path", path, "content-type", "application/grpc", "te", "trailers"}, pairs...)...)
	f.WriteData(stream, true, []byte("\x00\x00\x00\x00\x14"+strings.Repeat("m", 20)))
}

// status reads the first section of fields on a stream. It must be all there is.
func (f *framed) status(stream uint32) (code codes.Code, head *xhttp2.MetaHeadersFrame) {
	f.Helper()
	head = f.until("a response", func(frame xhttp2.Frame) bool {
		return frame.Header().StreamID == stream && frame.Header().Type == xhttp2.FrameHeaders
	}).(*xhttp2.MetaHeadersFrame)
	if !head.StreamEnded() || head.PseudoValue("status") != "200" || field(head, "content-type") != "application/grpc" {
		f.Errorf("no response of nothing but a status: %v, ended %v", head.Fields, head.StreamEnded())
	}
	n, err := strconv.Atoi(field(head, "grpc-status"))
	if err != nil {
		f.Errorf("%v", head.Fields)
	}
	return codes.Code(n), head
}

// field is the value of a field, "" if there is none.
func field(head *xhttp2.MetaHeadersFrame, name string) string {
	for _, f := range head.RegularFields() {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Whatever refuses a call says so by a response that is nothing but a status: guards,
// limits, routes without an upstream, upstreams that fail.
func TestGRPCRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys, secret := write("keys", "ann: 0123456789abcdef\n"), write("secret", strings.Repeat("secret", 6))
	passwords := write("passwords", "ann:$2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n")
	silent := framedServer(t, func(f *framed) { f.requests(func(*xhttp2.MetaHeadersFrame) {}) })
	wrong := framedServer(t, func(f *framed) {
		f.requests(func(h *xhttp2.MetaHeadersFrame) { f.head(h.StreamID, true, "a", "b") })
	})
	hangs := framedServer(t, func(f *framed) {
		f.requests(func(h *xhttp2.MetaHeadersFrame) { f.Conn.Close() })
	})
	for _, tt := range []struct {
		name, route string
		calls       int // until the one that is refused
		want        codes.Code
	}{
		{"deny", "deny: [127.0.0.0/8], to: u", 1, codes.PermissionDenied},
		{"keys", "keys: {file: " + keys + "}, to: u", 1, codes.Unauthenticated},
		{"basic", "basic: {file: " + passwords + "}, to: u", 1, codes.Unauthenticated},
		{"wrong password", "basic: {file: " + passwords + "}, to: u", 1, codes.Unauthenticated},
		{"jwt", "jwt: {secret: " + secret + "}, to: u", 1, codes.Unauthenticated},
		{"a guard that can't be made", "keys: {file: " + dir + "/none}, to: u", 1, codes.Unavailable},
		{"limit", "limit: {rate: 1/h, burst: 1, key: route}, to: u", 2, codes.ResourceExhausted},
		{"concurrency", "concurrency: 1, to: u", 2, codes.Unavailable},
		{"upstream's concurrency", "to: one", 2, codes.Unavailable},
		{"breaker", "breaker: {errors: 1%, least: 1, open: 1m}, to: wrong", 2, codes.Unavailable},
		{"body", "body: 10B, to: u", 1, codes.ResourceExhausted},
		{"fault", "fault: {abort: {status: 503}}, to: u", 1, codes.Unavailable},
		{"redirect", "redirect: /x", 1, codes.Unknown},
		{"respond", "respond: {status: 404, body: x, type: text/plain}", 1, codes.Unimplemented},
		{"method", "match: {path: /s.S/M, methods: [GET]}, to: u", 1, codes.Unknown},
		{"no route", "match: {path: /else}, to: u", 1, codes.Unimplemented},
		{"no endpoint", "to: none", 1, codes.Unavailable},
		{"no connection", "to: h2c://" + nobody, 1, codes.Unavailable},
		{"connection lost", "to: hangs", 1, codes.Unavailable},
		{"no response", "timeout: 30ms, to: u", 1, codes.DeadlineExceeded},
		{"no response of the upstream", "to: late", 1, codes.DeadlineExceeded},
		{"no response to any try", "retry: {timeout: 30ms, attempts: 2}, to: u", 1, codes.DeadlineExceeded},
		{"no HTTP/2", "to: wrong", 1, codes.Unavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, at := startLoops(t, 1, "routes: [{"+tt.route+"}]\nupstreams: {u: [\""+silent+"\"], wrong: [\""+wrong+"\"], hangs: [\""+hangs+"\"], one: {endpoints: [\""+silent+"\"], concurrency: 1}, late: {endpoints: [\""+silent+"\"], response: 30ms}, none: {etcd: {endpoints: [\""+nobody+"\"], prefix: /x/}}}\n")
			f := dialFramed(t, at)
			var pairs []string
			if tt.name == "wrong password" { // which is looked up beside the loop
				pairs = []string{"authorization", "Basic YW5uOlBhc3N3b3Jk"}
			}
			last := uint32(0)
			for i := range tt.calls {
				last = uint32(1 + 2*i)
				f.call(last, "/s.S/M", pairs...)
				if tt.name == "breaker" {
					f.status(last)
				}
			}
			if tt.name == "breaker" {
				last += 2
				f.call(last, "/s.S/M")
			}
			if code, head := f.status(last); code != tt.want || field(head, "grpc-message") == "" && tt.want != codes.Unknown && tt.name != "respond" {
				t.Errorf("%v: %v", code, head.Fields)
			}
		})
	}
}

// The time that is left is told with each try, as the gateway will wait for no longer; a
// server says how long a call is to wait before it is sent again, or that it isn't to be.
func TestGRPCPushback(t *testing.T) {
	for _, tt := range []struct {
		value string
		tries int
		least time.Duration // between two of them
	}{
		{"none", 2, 0}, {"0", 2, 0}, {"25", 2, 25 * time.Millisecond}, {"-1", 1, 0}, {"soon", 1, 0}, {"", 1, 0}, {"99999999999", 1, 0},
		{"60000", 1, 0}, // longer than anything is kept for
		{"25000", 1, 0}, // longer than the call may take
	} {
		tries := make(chan time.Duration, 10) // what each is told
		url := framedServer(t, func(f *framed) {
			f.requests(func(h *xhttp2.MetaHeadersFrame) {
				ms, err := strconv.Atoi(strings.TrimSuffix(field(h, "grpc-timeout"), "m"))
				if err != nil {
					t.Errorf("grpc-timeout: %q", field(h, "grpc-timeout"))
				}
				tries <- time.Duration(ms) * time.Millisecond
				pairs := []string{":status", "200", "content-type", "application/grpc", "grpc-status", "14", "grpc-message", "full"}
				if tt.value != "none" {
					pairs = append(pairs, "grpc-retry-pushback-ms", tt.value)
				}
				f.head(h.StreamID, true, pairs...)
			})
		})
		_, at := startLoops(t, 1, "routes: [{to: \""+url+"\", timeout: 20s, retry: {attempts: 2, grpc: [UNAVAILABLE]}}]\n")
		f := dialFramed(t, at)
		f.call(1, "/s.S/M", "grpc-timeout", "1H")
		if code, head := f.status(1); code != codes.Unavailable || field(head, "grpc-message") != "full" {
			t.Errorf("%q: %v", tt.value, head.Fields)
		}
		close(tries)
		var all []time.Duration
		for told := range tries {
			all = append(all, told)
		}
		if len(all) != tt.tries {
			t.Errorf("%q: %d tries", tt.value, len(all))
		}
		for i, told := range all { // which is as long as was waited, too
			if told > 20*time.Second || i > 0 && told > all[i-1]-tt.least {
				t.Errorf("%q: try %d was told %v, the one before %v", tt.value, i, told, all[max(0, i-1)])
			}
		}
	}
}

// What isn't a response of gRPC is retried by the status that it comes to.
func TestGRPCRetriesHTTPStatus(t *testing.T) {
	for status, retried := range map[string]bool{"503": true, "429": true, "401": false, "200": false} {
		refuses := framedServer(t, func(f *framed) {
			f.requests(func(h *xhttp2.MetaHeadersFrame) {
				f.head(h.StreamID, false, ":status", status, "content-type", "text/html")
				f.WriteData(h.StreamID, true, []byte("<p>"))
			})
		})
		serves := framedServer(t, func(f *framed) {
			f.requests(func(h *xhttp2.MetaHeadersFrame) {
				f.head(h.StreamID, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
			})
		})
		_, at := startLoops(t, 1, "routes: [{to: u, retry: {attempts: 2, grpc: [unavailable]}}]\nupstreams: {u: {endpoints: [\""+refuses+"\", \""+serves+"\"], balance: round-robin}}\n")
		f := dialFramed(t, at)
		var got []string
		for i := range uint32(2) {
			f.call(1+2*i, "/s.S/M")
			head := f.until("a response", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameHeaders }).(*xhttp2.MetaHeadersFrame)
			got = append(got, field(head, "content-type"))
		}
		if fmt.Sprint(got) == "[application/grpc application/grpc]" != retried {
			t.Errorf("%s: %v", status, got)
		}
	}
}
