//go:build linux

package gateway_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/metrics"
)

// pushed is what a collector is sent.
type pushed struct {
	path, key string
	message   *collector.ExportMetricsServiceRequest
}

// newSink is a collector of metrics.
func newSink(t *testing.T) (all chan pushed, url string) {
	all = make(chan pushed, 1000)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		p := pushed{r.URL.Path, r.Header.Get("X-Key"), &collector.ExportMetricsServiceRequest{}}
		if err == nil {
			err = proto.Unmarshal(b, p.message)
		}
		if err != nil {
			t.Error(err)
		}
		select {
		case all <- p:
		default: // who reads has what it wanted
		}
	}))
	t.Cleanup(s.Close)
	return all, s.URL
}

func next(t *testing.T, all chan pushed) pushed {
	t.Helper()
	select {
	case p := <-all:
		return p
	case <-time.After(patience):
		t.Fatal("nothing is pushed")
		return pushed{}
	}
}

// asText is a message's figures as Prometheus names them, by their series.
func asText(t *testing.T, message *collector.ExportMetricsServiceRequest) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	series := func(name string, labels []*common.KeyValue, more ...string) string {
		var pairs []string
		for _, l := range labels {
			pairs = append(pairs, l.Key+"="+strconv.Quote(l.Value.GetStringValue()))
		}
		pairs = append(pairs, more...)
		slices.Sort(pairs)
		return name + "{" + strings.Join(pairs, ",") + "}"
	}
	seconds := func(s float64) string { return strconv.FormatFloat(s, 'g', -1, 64) }
	for _, m := range message.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		name := m.Name
		if m.Unit == "s" {
			name += "_seconds"
		}
		switch data := m.Data.(type) {
		case *otlp.Metric_Gauge:
			for _, p := range data.Gauge.DataPoints {
				all[series(name, p.Attributes)] = p.GetAsDouble()
			}
		case *otlp.Metric_Sum:
			if !data.Sum.IsMonotonic || data.Sum.AggregationTemporality != otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
				t.Errorf("%s is no counter", name)
			}
			for _, p := range data.Sum.DataPoints {
				all[series(name+"_total", p.Attributes)] = p.GetAsDouble()
				if p.StartTimeUnixNano == 0 || p.StartTimeUnixNano > p.TimeUnixNano {
					t.Errorf("%s is counted since %d, at %d", name, p.StartTimeUnixNano, p.TimeUnixNano)
				}
			}
		case *otlp.Metric_Histogram:
			for _, p := range data.Histogram.DataPoints {
				below := uint64(0)
				for i, n := range p.BucketCounts {
					below += n
					end := `le="+Inf"`
					if i < len(p.ExplicitBounds) {
						end = `le="` + seconds(p.ExplicitBounds[i]) + `"`
					}
					all[series(name+"_bucket", p.Attributes, end)] = float64(below)
				}
				all[series(name+"_sum", p.Attributes)] = p.GetSum()
				all[series(name+"_count", p.Attributes)] = float64(p.Count)
			}
		case *otlp.Metric_Summary:
			for _, p := range data.Summary.DataPoints {
				all[series(name+"_sum", p.Attributes)] = p.Sum
				all[series(name+"_count", p.Attributes)] = float64(p.Count)
			}
		default:
			t.Errorf("%s is %T", name, data)
		}
	}
	return all
}

// scraped is the same of the text that Prometheus reads.
func scraped(t *testing.T, text string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(line[:at], "}"), "{")
		var pairs []string
		if labels != "" {
			pairs = strings.SplitAfter(labels, `",`)
			for i := range pairs[:len(pairs)-1] {
				pairs[i] = strings.TrimSuffix(pairs[i], ",")
			}
		}
		slices.Sort(pairs)
		all[name+"{"+strings.Join(pairs, ",")+"}"] = value
	}
	return all
}

// What is pushed is what /metrics says, name by name, with the traces of requests.
func TestMetricsPushed(t *testing.T) {
	all, url := newSink(t)
	upstream, _ := respondingWith(t, ok)
	path := t.TempDir() + "/headers"
	write(t, path, "X-Key: k\n")
	text := func(collector string) string {
		return "metrics: {otlp: \"" + collector + "\", every: 100ms, service: edge, headers: " + path + "}\ntrace: {sample: 1}\nroutes:\n" +
			"  - {name: up, match: {path: \"/up\"}, objective: 10s, allow: [127.0.0.0/8], limit: {rate: 10000/s}, shed: {objective: 1s}, to: users}\n" +
			"  - {name: gone, match: {path: /gone}, to: \"http://127.0.0.1:1\"}\n" +
			"upstreams: {users: [\"" + upstream + "\"]}\n"
	}
	g, at := startLoops(t, 1, text(url))
	c := dial(t, at)
	for range 300 { // some of them are timed
		c.send("GET /up HTTP/1.1\r\nHost: h\r\n\r\n")
		c.response(t, "GET")
	}
	c.send("GET /gone HTTP/1.1\r\nHost: h\r\n\r\n")
	c.response(t, "GET")

	changing := func(series string, _ float64) bool { return strings.HasPrefix(series, "nanogate_metrics_pushes") }
	named := func(all map[string]float64) { // what the process does while they are read
		for series := range all {
			if strings.HasPrefix(series, "go_") || strings.HasPrefix(series, "process_") {
				all[series] = 0
			}
		}
	}
	var got, want map[string]float64
	for deadline := time.Now().Add(patience); ; {
		p := next(t, all)
		got, want = asText(t, p.message), scraped(t, string(metrics.Text(g, false)))
		maps.DeleteFunc(got, changing)
		maps.DeleteFunc(want, changing)
		named(got)
		named(want)
		if maps.Equal(got, want) {
			if p.path != "/v1/metrics" || p.key != "k" {
				t.Errorf("the collector was asked for %s, with key %q", p.path, p.key)
			}
			who := fmt.Sprint(p.message.ResourceMetrics[0].Resource.Attributes)
			if !strings.Contains(who, `"edge"`) || !strings.Contains(who, "service.instance.id") {
				t.Errorf("the figures are of %s", who)
			}
			exemplars(t, p.message)
			break
		}
		if time.Now().After(deadline) {
			for _, series := range slices.Sorted(maps.Keys(want)) {
				if value, there := got[series]; !there || value != want[series] {
					t.Errorf("%s is pushed as %v (%v), and read as %v", series, value, there, want[series])
				}
			}
			t.Fatalf("%d series are pushed, %d read", len(got), len(want))
		}
	}
	for _, series := range []string{`nanogate_requests_total{code="2xx",route="up"}`, `nanogate_request_duration_seconds_count{route="up"}`, `nanogate_objective_requests_total{route="up"}`} {
		if got[series] != 300 {
			t.Errorf("%s is %v, want 300", series, got[series])
		}
	}
	next(t, all) // so the one before has had its response
	for deadline := time.Now().Add(patience); g.Pushed().Written == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", g.Pushed())
		}
	}
	if n := g.Pushed(); n.Failed > 0 {
		t.Errorf("%+v", n)
	}

	// Another collector, and none.
	others, other := newSink(t)
	apply := func(text string) {
		c, err := config.Parse("test.yaml", []byte("listen: "+at+"\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if problems := g.Apply(c); len(problems) > 0 {
			t.Fatal(problems)
		}
	}
	apply(text(other + "/otlp/metrics"))
	if p := next(t, others); p.path != "/otlp/metrics" {
		t.Errorf("the other collector was asked for %s", p.path)
	}
	apply("routes: [{respond: {body: hi}}]\n")
	if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}

func exemplars(t *testing.T, message *collector.ExportMetricsServiceRequest) {
	t.Helper()
	for _, m := range message.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		for _, p := range m.GetHistogram().GetDataPoints() {
			for _, e := range p.Exemplars {
				if len(hex.EncodeToString(e.TraceId)) == 32 && e.GetAsDouble() > 0 && e.TimeUnixNano > 0 {
					return
				}
			}
		}
	}
	t.Error("there are no exemplars")
}

// A collector that is away costs requests nothing and is counted; one that hangs doesn't
// keep the gateway from ending.
func TestMetricsWithoutCollector(t *testing.T) {
	hang := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer s.Close()
	defer close(hang)
	for name, url := range map[string]string{"away": "http://127.0.0.1:1", "hangs": s.URL} {
		g, at := startLoops(t, 1, "metrics: {otlp: \""+url+"\", every: 100ms}\nroutes: [{respond: {body: hi}}]\n")
		if name == "away" {
			for deadline := time.Now().Add(patience); g.Pushed().Failed < 2; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s: %+v", name, g.Pushed())
				}
			}
		}
		if resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); resp.StatusCode != 200 || body != "hi" {
			t.Errorf("%s: %s", name, resp.Status)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := g.Shutdown(ctx)
		if cancel(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := g.Pushed(); n.Failed == 0 || n.Written > 0 {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

// A gateway that ends as soon as it has begun pushes once all the same.
func TestMetricsPushedAtTheEnd(t *testing.T) {
	_, url := newSink(t)
	for range 20 {
		g, _ := startLoops(t, 1, "metrics: {otlp: \""+url+"\", every: 10m}\nroutes: [{respond: {body: hi}}]\n")
		if err := g.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := g.Pushed(); n.Written+n.Failed != 1 {
			t.Fatalf("%+v", n)
		}
	}
}

// Many series are several messages, each whole.
func TestMetricsInParts(t *testing.T) {
	all, url := newSink(t)
	var b strings.Builder
	fmt.Fprintf(&b, "metrics: {otlp: %q, every: 100ms}\nroutes:\n", url)
	const routes = 3000 // each has two limits' states
	for i := range routes {
		fmt.Fprintf(&b, "  - {name: r%d, match: {path: /r%d}, concurrency: 10, respond: {body: hi}}\n", i, i)
	}
	startLoops(t, 1, b.String())
	seen := map[string]bool{}
	for len(seen) < 2*routes {
		message := next(t, all).message
		points := 0
		for _, m := range message.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			points += len(m.GetGauge().GetDataPoints()) + len(m.GetSum().GetDataPoints()) + len(m.GetHistogram().GetDataPoints()) + len(m.GetSummary().GetDataPoints())
			if m.Name == "nanogate_limit_state" {
				for _, p := range m.GetGauge().DataPoints {
					var labels []string
					for _, a := range p.Attributes {
						labels = append(labels, a.Key+a.Value.GetStringValue())
					}
					seen[strings.Join(labels, " ")] = true
				}
			}
		}
		if points > 5000 {
			t.Fatalf("a message has %d series", points)
		}
	}
}
