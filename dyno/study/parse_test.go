package study

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// parse reads a study that must be right.
func parse(t testing.TB, src string) *Study {
	t.Helper()
	s, err := Parse("s.yaml", []byte(src), shipped)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	want := &Study{
		Name: "s", Path: "s.yaml", Source: []byte(minimal),
		Subjects:  []Subject{{Name: "go/gin", Use: "go/gin"}},
		Requests:  []request.Request{{Name: "root", Method: "GET", Path: "/", Weight: 1}},
		Loads:     []Load{{Name: "saturate", Profile: profile.Profile{Mode: profile.Closed, Connections: 64}, Timeout: 10 * time.Second}},
		Trial:     Timing{Warmup: 2 * time.Second, Duration: 10 * time.Second},
		Blocks:    6,
		Design:    Design{Kind: FullFactorial},
		Twin:      true,
		Placement: Placement{Mode: "split"},
		Reference: "go/gin",
	}
	if got := parse(t, minimal); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestEveryField(t *testing.T) {
	const src = `study: all
question: >
  What,
  and why?
subjects:
  - go/gin
  - {name: gc/400, use: go/gin, env: {GOGC: 400, A: "", B: true}}
  - {name: mine, run: "./mine -port $PORT", build: make, dir: sub, env: {C: d}}
  - {name: other, run: ./other, ready: /up, metrics: "http://h:9090/m?a=b", tls: true}
reference: mine
requests:
  - {name: a, post: "/a?x=1", headers: {X: 1, Y: "a b"}, body: hi, weight: 3, expect: {status: 201}}
  - {path: /b, method: purge}
  - {path: /c}
loads:
  - {name: one, open: {rate: 1e3}, timeout: 2s}
  - {open: {rate: 0.5, arrivals: uniform, connections: 7}}
factors:
  rate: [1e3, 2000.50]
  connections: [1, 2]
  request: [a, get /c]
  env.X: [1, "", no]
  cpu: {from: 0.5, to: 2}
design: {latin-hypercube: {samples: 3}}
trial: {warmup: 0s}
blocks: 3
twin: false
placement: {generator: [0], subject: [1, 2]}
report: [cpu, response.p99.9]
quick: {blocks: 2, trial: {duration: 3s}, loads: [open], factors: {connections: [9]}, samples: 2}
`
	want := &Study{
		Name: "all", Question: "What, and why?", Path: "s.yaml", Source: []byte(src), Reference: "mine",
		Subjects: []Subject{
			{Name: "go/gin", Use: "go/gin"},
			{Name: "gc/400", Use: "go/gin", Env: map[string]string{"GOGC": "400", "A": "", "B": "true"}},
			{Name: "mine", Run: "./mine -port $PORT", Build: "make", Dir: "sub", Poll: "/a?x=1", Env: map[string]string{"C": "d"}},
			{Name: "other", Run: "./other", Ready: "/up", Metrics: "http://h:9090/m?a=b", TLS: true},
		},
		Requests: []request.Request{
			{Name: "a", Method: "POST", Path: "/a?x=1", Headers: []request.Header{{Name: "X", Value: "1"}, {Name: "Y", Value: "a b"}}, Body: "hi", Weight: 3, Status: 201},
			{Name: "purge /b", Method: "PURGE", Path: "/b", Weight: 1},
			{Name: "get /c", Method: "GET", Path: "/c", Weight: 1},
		},
		Loads: []Load{
			{Name: "one", Profile: profile.Profile{Mode: profile.Open, Connections: 64, Rate: 1000, Arrivals: profile.Poisson}, Timeout: 2 * time.Second},
			{Name: "open", Profile: profile.Profile{Mode: profile.Open, Connections: 7, Rate: 0.5, Arrivals: profile.Uniform}, Timeout: 10 * time.Second},
		},
		Factors: []Factor{
			{Name: "rate", Levels: []string{"1000", "2000.5"}, Place: "s.yaml:19:3"}, {Name: "connections", Levels: []string{"1", "2"}, Place: "s.yaml:20:3"},
			{Name: "request", Levels: []string{"a", "get /c"}, Place: "s.yaml:21:3"}, {Name: "env.X", Levels: []string{"1", "", "no"}, Place: "s.yaml:22:3"},
			{Name: "cpu", Range: &Range{From: 0.5, To: 2}, Place: "s.yaml:23:3"},
		},
		Design: Design{Kind: LatinHypercube, Samples: 3}, Twin: false,
		Trial: Timing{Duration: 10 * time.Second}, Blocks: 3,
		Placement: Placement{Mode: "explicit", Generator: []int{0}, Subject: []int{1, 2}},
		Report:    []string{"cpu", "response.p99.9"},
		Shorter: Shorter{
			Blocks: 2, Trial: Timing{Duration: 3 * time.Second}, Loads: []string{"open"},
			Factors: []Factor{{Name: "connections", Levels: []string{"9"}, Place: "s.yaml:30:68"}}, Samples: 2,
		},
	}
	if got := parse(t, src); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestPprofURL(t *testing.T) {
	for _, c := range []struct{ pprof, base, want string }{
		{"", "http://h:1", ""},
		{"/debug/pprof", "http://h:1", "http://h:1/debug/pprof"},
		{"/debug/pprof/", "http://h:1/", "http://h:1/debug/pprof"},
		{"https://o:2/p/", "http://h:1", "https://o:2/p"},
	} {
		if got := (Subject{Pprof: c.pprof}).PprofURL(c.base); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestMetricsURL(t *testing.T) {
	tests := []struct{ metrics, base, want string }{
		{"", "http://h:80", ""},
		{"/metrics", "http://h:80", "http://h:80/metrics"},
		{"/metrics?a=b", "http://h:80/", "http://h:80/metrics?a=b"},
		{"http://other:9090/m", "http://h:80", "http://other:9090/m"},
		{"https://other:9090/m", "http://h:80", "https://other:9090/m"},
		{"/metrics", "https://h:443", "https://h:443/metrics"},
	}
	for _, c := range tests {
		if got := (Subject{Metrics: c.metrics}).MetricsURL(c.base); got != c.want {
			t.Errorf("%q at %s: got %q, want %q", c.metrics, c.base, got, c.want)
		}
	}
}

func TestAcceptedForms(t *testing.T) {
	tests := []struct{ name, src string }{
		{"byte order mark", "\ufeff" + minimal},
		{"CRLF", strings.ReplaceAll(minimal, "\n", "\r\n")},
		{"JSON", `{"study": "s", "subjects": ["go/gin"]}`},
		{"document markers", "---\n" + minimal + "...\n"},
		{"aliases", minimal + "requests: [{get: /, headers: &h {A: b}}, {get: /b, headers: *h}]\n"},
		{"a service that is up", named + "subjects: [{name: a, url: \"http://[::1]:80/\"}]\n"},
		{"metrics of a service that is up", named + "subjects: [{name: a, url: \"http://h\", metrics: /metrics}]\n"},
		{"metrics over TLS", named + "subjects: [{name: a, url: \"https://h\", metrics: /metrics}]\n"},
		{"metrics over TLS of another trust", named + "subjects: [{name: a, run: ./a, metrics: \"https://h/m\", insecure: true}]\n"},
		{"no factors", minimal + "factors: {}\n"},
		{"shared", minimal + "placement: shared\n"},
		{"tab in a header", minimal + "requests: [{get: /, headers: {A: \"b\\tc\"}}]\n"},
		{"a command of several lines", named + "subjects:\n  - name: a\n    run: |\n      x=1\n      ./a\n"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) { parse(t, c.src) })
	}
}

func TestBodyFileIsBesideTheStudy(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "body.bin"), []byte("\x00body"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := minimal + "requests: [{post: /, body_file: body.bin}]\n"
	s, err := Parse(filepath.Join(dir, "s.yaml"), []byte(src), shipped)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Requests[0].Body; got != "\x00body" {
		t.Errorf("got %q", got)
	}
}
