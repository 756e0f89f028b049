//go:build linux

package gateway_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collecting is a collector that keeps what it is told.
type collecting struct {
	mu    sync.Mutex
	spans []*otlp.Span
	more  chan bool
	paths []string
}

func newCollector(t *testing.T) (c *collecting, url string) {
	c = &collecting{more: make(chan bool, 1000)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		var message collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(b, &message)
		}
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		c.paths = append(c.paths, r.URL.Path+" "+r.Header.Get("X-Key"))
		for _, resource := range message.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
		c.mu.Unlock()
		c.more <- true
	}))
	t.Cleanup(s.Close)
	return c, s.URL
}

// wait waits until there are so many spans.
func (c *collecting) wait(t *testing.T, n int) []*otlp.Span {
	t.Helper()
	late := time.After(patience)
	for {
		c.mu.Lock()
		spans := c.spans
		c.mu.Unlock()
		if len(spans) >= n {
			return spans
		}
		select {
		case <-c.more:
		case <-late:
			t.Fatalf("%d spans, want %d", len(spans), n)
		}
	}
}

func attributes(s *otlp.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		if v := a.Value.GetStringValue(); v != "" {
			all[a.Key] = v
		} else {
			all[a.Key] = fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return all
}

// A request that is retried has a span, and each try one below it, which is the parent
// that the upstream was told.
func TestTrace(t *testing.T) {
	c, url := newCollector(t)
	parents := make(chan string, 10)
	var first sync.Once
	response := func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			parents <- r.Header.Get("Traceparent") + " " + r.Header.Get("Tracestate")
			failed := false
			if first.Do(func() { failed = r.URL.Path == "/fails" }); failed {
				return
			}
			p.send(ok)
		}
	}
	a, b := scripted(t, response), scripted(t, response)
	path := t.TempDir() + "/headers"
	write(t, path, "# the collector's\nX-Key: k\n")
	_, at := startLoops(t, 1, "trace: {otlp: \""+url+"\", sample: 0, headers: "+path+"}\nroutes:\n  - {name: quiet, match: {path: /quiet}, trace: off, to: u}\n  - {name: api, match: {path: \"/*\"}, to: u}\nupstreams: {u: {endpoints: [\""+a+"\", \""+b+"\"], balance: round-robin}}\n")
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	const sent = "traceparent: 00-" + trace + "-" + span + "-01\r\ntracestate: a=b\r\n"
	if resp, _ := ask(t, at, "GET /fails?token=x HTTP/1.1\r\nHost: h:80\r\nUser-Agent: test\r\n"+sent+"\r\n"); resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	told := []string{<-parents, <-parents}
	spans := c.wait(t, 3)
	var server *otlp.Span
	var tries []*otlp.Span
	for _, s := range spans {
		if s.Kind == otlp.Span_SPAN_KIND_SERVER {
			server = s
		} else {
			tries = append(tries, s)
		}
	}
	if server == nil || len(tries) != 2 || server.Name != "GET /*" || hex.EncodeToString(server.TraceId) != trace || hex.EncodeToString(server.ParentSpanId) != span {
		t.Fatalf("%v", spans)
	}
	for key, want := range map[string]string{"http.request.method": "GET", "http.response.status_code": "200", "url.path": "/fails", "http.route": "/*", "nanogate.route": "api", "server.address": "h", "server.port": "80", "user_agent.original": "test", "client.address": "127.0.0.1"} {
		if got := attributes(server)[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if strings.Contains(fmt.Sprint(spans), "token") {
		t.Error("the query is told")
	}
	for i, s := range tries {
		if string(s.ParentSpanId) != string(server.SpanId) || s.StartTimeUnixNano < server.StartTimeUnixNano || s.EndTimeUnixNano > server.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("try %d: %v", i, s)
		}
		if want := "00-" + trace + "-" + hex.EncodeToString(s.SpanId) + "-01 a=b"; told[i] != want {
			t.Errorf("the upstream was told %q, want %q", told[i], want)
		}
	}
	if one, two := attributes(tries[0]), attributes(tries[1]); one["error.type"] != "upstream-gone" || two["http.response.status_code"] != "200" || two["http.request.resend_count"] != "1" || one["server.port"] == two["server.port"] {
		t.Errorf("%v, %v", one, two)
	}
	if got := c.paths[0]; got != "/v1/traces k" {
		t.Errorf("the collector was asked for %q", got)
	}

	for _, one := range []struct{ name, path, fields, want, not string }{
		{"a trace is begun, and isn't sampled", "/a", "", "-00 ", trace},
		{"what isn't valid is replaced, with its state", "/a", "traceparent: 00-" + trace + "-" + span + "\r\ntracestate: a=b\r\n", "-00 ", trace},
		{"two are as none", "/a", sent + sent, "-00 ", trace},
		{"it goes on as it was decided", "/a", strings.Replace(sent, "-01", "-00", 1), "-00 a=b", span},
		{"a route without", "/quiet", sent, "00-" + trace + "-" + span + "-01 a=b", "?"},
	} {
		ask(t, at, "GET "+one.path+" HTTP/1.1\r\nHost: h\r\n"+one.fields+"\r\n")
		if got := <-parents; !strings.HasSuffix(got, one.want) || strings.Contains(got, one.not) {
			t.Errorf("%s: %q", one.name, got)
		}
	}
}

// Spans and the access log tell by which version of HTTP a request came.
func TestVersionsAreTold(t *testing.T) {
	c, url := newCollector(t)
	path := t.TempDir() + "/access.log"
	g, at := startLoops(t, 1, "access-log: {to: "+path+"}\ntrace: {otlp: \""+url+"\", sample: 1}\nroutes: [{respond: {body: hi}}]\n")
	ask(t, at, "GET /1.0 HTTP/1.0\r\nHost: h\r\n\r\n")
	ask(t, at, "GET /1.1 HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := clientOver(t, 2).Get("http://" + at + "/2")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	spans := map[string]string{}
	for _, s := range c.wait(t, 3) {
		spans[attributes(s)["url.path"]] = attributes(s)["network.protocol.version"]
	}
	lines := map[string]string{}
	for _, line := range logged(t, g, path) {
		lines[fmt.Sprint(line["path"])] = fmt.Sprint(line["protocol"])
	}
	for path, want := range map[string]struct{ span, line string }{"/1.0": {"1.0", "HTTP/1.0"}, "/1.1": {"1.1", "HTTP/1.1"}, "/2": {"2", "HTTP/2.0"}} {
		if spans[path] != want.span || lines[path] != want.line {
			t.Errorf("%s: the span says %q, the access log %q", path, spans[path], lines[path])
		}
	}
}

// Without its collector, or with one that hangs, requests are served as ever, and what
// is lost is counted.
func TestTraceWithoutCollector(t *testing.T) {
	hang := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer s.Close()
	defer close(hang)
	for name, url := range map[string]string{"away": "http://127.0.0.1:1", "hangs": s.URL} {
		g, at := startLoops(t, 1, "trace: {otlp: \""+url+"\", sample: 1, queue: 16}\nroutes: [{respond: {body: hi}}]\n")
		c := dial(t, at)
		for range 2000 {
			c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			if resp, _ := c.response(t, "GET"); resp.StatusCode != 200 {
				t.Fatalf("%s: %s", name, resp.Status)
			}
		}
		counts := g.Telemetry().Tracer.Counts
		for deadline := time.Now().Add(patience); counts().Dropped+counts().Failed == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %+v", name, counts())
			}
		}
	}
}
