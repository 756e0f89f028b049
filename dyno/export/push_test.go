package export

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"dyno.example/dyno/load/measure"
)

func source() *Source {
	return &Source{Labels: map[string]string{"job": "dyno", "target": "http://x/", "mode": "open"}, Wall: started, Mono: 5_000_000_000, Since: started.Add(-time.Second)}
}

// receiver keeps what is posted to it, and responds with the statuses in turn,
// then with 200.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	bodies   [][]byte
	headers  []http.Header
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.statuses) > 0 {
		status := r.statuses[0]
		r.statuses = r.statuses[1:]
		http.Error(w, "because", status)
		return
	}
	r.bodies = append(r.bodies, body)
	r.headers = append(r.headers, request.Header)
}

// push sends the fixture's windows to a receiver with the statuses.
func push(t *testing.T, encoder Encoder, statuses ...int) (*receiver, error) {
	t.Helper()
	r := &receiver{statuses: statuses}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	p := NewPush(strings.Replace(server.URL, "://", "://user:s3cr3t@", 1)+"/path", http.Header{"X-Key": {"k3y"}}, encoder)
	l := fixture()
	for i := range l.Result.Windows {
		p.Window(&l.Result.Windows[i])
	}
	return r, p.Close(time.Minute)
}

func TestOTLP(t *testing.T) {
	r, err := push(t, NewOTLP(source()))
	if err != nil || len(r.bodies) != 4 {
		t.Fatalf("%d bodies, %v", len(r.bodies), err)
	}
	if h := r.headers[0]; h.Get("Content-Type") != "application/x-protobuf" || h.Get("X-Key") != "k3y" || h.Get("Authorization") != "Basic dXNlcjpzM2NyM3Q=" {
		t.Errorf("headers %v", h)
	}
	// After the warm-up and two windows, the second with time-outs.
	metrics := decodeOTLP(t, r.bodies[2])
	sent := metrics["dyno.requests_sent"].GetSum()
	if !sent.GetIsMonotonic() || sent.GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Errorf("what was sent is %v", sent)
	}
	point := sent.GetDataPoints()[0]
	if point.GetAsInt() != 300 || point.GetTimeUnixNano() != uint64(started.Add(2*time.Second).UnixNano()) || point.GetStartTimeUnixNano() != uint64(started.Add(-time.Second).UnixNano()) {
		t.Errorf("point %v", point)
	}
	if got := metrics["dyno.errors"].GetSum().GetDataPoints(); len(got) != len((measure.Errors{}).ByKind()) || pointOf(got, "kind", "timeout").GetAsInt() != 10 {
		t.Errorf("errors %v", got)
	}
	if got := metrics["dyno.in_flight"].GetGauge().GetDataPoints()[0].GetAsDouble(); got != 1.5 {
		t.Errorf("in flight %v", got)
	}
	if got := pointOf(metrics["dyno.quantile"].GetGauge().GetDataPoints(), "quantile", "0.9").GetAsDouble(); math.Abs(got-0.09) > 1e-4 {
		t.Errorf("p90 %v", got)
	}
	if got := pointOf(metrics["dyno.quantile"].GetGauge().GetDataPoints(), "quantile", "0.99"); got.GetValue() != nil || got.GetFlags() != 1 {
		t.Errorf("p99 is told as if it were known: %v", got)
	}
	for _, body := range r.bodies {
		if metric := decodeOTLP(t, body)["dyno.quantile"]; pointOf(metric.GetGauge().GetDataPoints(), "quantile", "0.999") != nil {
			t.Errorf("p99.9 of 100 requests is told: %v", metric)
		}
	}
	if got := pointOf(metrics["dyno.quantile_at_least"].GetGauge().GetDataPoints(), "quantile", "0.99").GetAsDouble(); math.Abs(got-0.09) > 1e-4 {
		t.Errorf("p99 is at least %v", got)
	}
	checkHistogram(t, metrics["dyno.response"].GetHistogram().GetDataPoints()[0])
}

// checkHistogram checks the histogram of three windows with times from 1 ms to
// 90 ms, twenty more of 90 ms, and ten time-outs.
func checkHistogram(t *testing.T, h *metricspb.HistogramDataPoint) {
	t.Helper()
	if h.GetCount() != 300 || math.Abs(h.GetSum()-3*4.095-1.8) > 0.02 || len(h.GetBucketCounts()) != len(h.GetExplicitBounds())+1 {
		t.Fatalf("histogram %v", h)
	}
	sum := uint64(0)
	for i, n := range h.GetBucketCounts() {
		sum += n
		bound := math.Inf(1)
		if i < len(h.GetExplicitBounds()) {
			bound = h.GetExplicitBounds()[i]
		}
		want := uint64(3 * min(90, math.Floor(bound*1000+1e-9)))
		if bound*1000 > 90-1e-9 {
			want += 20
		}
		if math.IsInf(bound, 1) {
			want += 10
		}
		if sum != want {
			t.Errorf("up to %v s: %d, want %d", bound, sum, want)
		}
	}
}

func TestTheJobIsTheService(t *testing.T) {
	s := source()
	s.Labels["job"] = "nightly"
	for _, a := range NewOTLP(s).resource() {
		if a.GetKey() == "service.name" && a.GetValue().GetStringValue() != "nightly" || a.GetKey() == "job" {
			t.Errorf("attribute %v", a)
		}
	}
}

func decodeOTLP(t *testing.T, body []byte) map[string]*metricspb.Metric {
	t.Helper()
	var data metricspb.MetricsData
	if err := proto.Unmarshal(body, &data); err != nil {
		t.Fatal(err)
	}
	resource := data.GetResourceMetrics()[0]
	attributes := make(map[string]string)
	for _, a := range resource.GetResource().GetAttributes() {
		attributes[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if attributes["service.name"] != "dyno" || attributes["target"] != "http://x/" {
		t.Errorf("resource %v", attributes)
	}
	metrics := make(map[string]*metricspb.Metric)
	for _, m := range resource.GetScopeMetrics()[0].GetMetrics() {
		if metrics[m.GetName()] != nil {
			t.Errorf("%s comes twice", m.GetName())
		}
		metrics[m.GetName()] = m
	}
	return metrics
}

func pointOf(points []*metricspb.NumberDataPoint, key, value string) *metricspb.NumberDataPoint {
	for _, p := range points {
		for _, a := range p.GetAttributes() {
			if a.GetKey() == key && a.GetValue().GetStringValue() == value {
				return p
			}
		}
	}
	return nil
}

func TestPushTriesAgain(t *testing.T) {
	r, err := push(t, NewOTLP(source()), 503, 429, 500)
	if err != nil || len(r.bodies) != 4 {
		t.Errorf("%d bodies of 4, %v", len(r.bodies), err)
	}
}

func TestPushTellsWhatItLost(t *testing.T) {
	r, err := push(t, NewOTLP(source()), 400, 403)
	if err == nil || err.Error() != "2 of 4 windows were not delivered: 403 Forbidden because" || len(r.bodies) != 2 {
		t.Errorf("%d bodies, %v", len(r.bodies), err)
	}
	// What was lost is made up for by the next: counters add up.
	if got := decodeOTLP(t, r.bodies[0])["dyno.requests_sent"].GetSum().GetDataPoints()[0].GetAsInt(); got != 300 {
		t.Errorf("%d sent, want 300", got)
	}
}

func TestPushFollowsNoRedirect(t *testing.T) {
	_, err := push(t, NewOTLP(source()), 307, 307, 307, 307)
	if err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("got %v", err)
	}
}

// Nobody there, or somebody who never responds, neither blocks the load nor
// outlasts the patience at its end; and errors don't show secrets.
func TestPushDoesNotWait(t *testing.T) {
	release := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(mute.Close)
	t.Cleanup(func() { close(release) })
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, target := range map[string]string{"mute": mute.URL, "gone": gone.URL} {
		p := NewPush(strings.Replace(target, "://", "://user:s3cr3t@", 1), nil, NewRemoteWrite(source()))
		w := window(0)
		for range pushQueue + 10 {
			p.Window(&w)
		}
		err := p.Close(time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), "of 74 windows were not delivered") || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for name, encoder := range map[string]Encoder{"remote write": NewRemoteWrite(source()), "otlp": NewOTLP(source())} {
		b.Run(name, func(b *testing.B) {
			w := window(0)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encoder.Encode(&w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
