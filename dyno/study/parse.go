package study

import (
	"strings"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Defaults of what a study leaves out, and limits of what it may set.
const (
	defaultBlocks      = 6
	defaultWarmup      = 2 * time.Second
	defaultDuration    = 10 * time.Second
	defaultConnections = 64
	maxBlocks          = 10_000
	maxDuration        = 24 * time.Hour
	maxTimeout         = 10 * time.Minute
	maxReady           = time.Minute
	maxCPU             = 4095
	minAge             = time.Millisecond
	maxPerConnection   = 1_000_000_000
)

// Parse reads a study. path is its name in messages, and where relative paths
// in it start from; subjects are the names of the shipped subjects. The error
// is of type [Problems] and has everything that is wrong.
func Parse(path string, src []byte, subjects []string) (*Study, error) {
	return newInput(path, subjects).parse(src)
}

// parse reads and checks a study.
func (in *input) parse(src []byte) (*Study, error) {
	path := in.Path
	s := &Study{
		Path: path, Source: src, Blocks: defaultBlocks, Design: Design{Kind: FullFactorial}, Twin: true,
		Trial: Timing{Warmup: defaultWarmup, Duration: defaultDuration}, Placement: Placement{Mode: "split"},
	}
	if root, ok := in.document(src); ok {
		in.study(s, root)
	}
	s.Secrets = secretsOf(s)
	if len(in.Problems) > 0 {
		in.Problems.Sort()
		s.Secrets.hide(in.Problems)
		return nil, in.Problems
	}
	return s, nil
}

// study reads the file's top level into s, which holds the defaults.
func (in *input) study(s *Study, root scope) {
	if !root.IsMapping() {
		root.Report(i18n.New("study.expected-fields", "expected the fields of a study, got %s", root.Describe()), i18n.New("study.study-field-hint", "start it with: study: my-study"))
		return
	}
	f, understood := root.fields("study", "question", "subjects", "reference", "requests", "feeds", "factors", "design", "loads", "trial", "blocks", "twin", "placement", "report", "claims", "gate", "accept", "explain", "keep", "until", "quick", "services")
	if at, ok := f["study"]; ok {
		s.Name = at.name()
	} else if understood {
		root.Report(i18n.New("study.study-without-name", "the study has no name"), i18n.New("study.add-field", "add: %s: %s", "study", "my-study"))
	}
	if at, ok := f["question"]; ok {
		question, _ := at.printable("\n\t")
		s.Question = strings.Join(strings.Fields(question), " ")
	}
	if at, ok := f["feeds"]; ok {
		s.Feeds = in.feedsAt(at)
	}
	s.Requests = []request.Request{{Name: "root", Method: "GET", Path: "/", Weight: 1}}
	if at, ok := f["requests"]; ok {
		s.Requests = requestsAt(at)
	}
	if at, ok := f["subjects"]; ok {
		s.Subjects = subjectsAt(at, s.Requests)
	} else if understood {
		root.Report(i18n.New("study.study-without-subjects", "the study has no subjects"), i18n.New("study.add-field", "add: %s: %s", "subjects", "[go/nethttp]"))
	}
	if at, ok := f["services"]; ok {
		s.Services = servicesAt(at)
	}
	if at, ok := f["subjects"]; ok {
		checkNetworks(at, s)
	}
	s.Loads = []Load{{Name: "saturate", Profile: profile.Profile{Mode: profile.Closed, Connections: defaultConnections}, Timeout: request.DefaultTimeout}}
	if at, ok := f["loads"]; ok {
		s.Loads = loadsAt(at)
		checkMessages(at, s)
	}
	if in.calls {
		overHTTP2(s.Loads)
	}
	in.design(s, f)
	if at, ok := f["factors"]; ok {
		s.Factors = factorsAt(at, s)
	}
	in.howToMeasure(s, f)
	in.reference(s, f)
	if at, ok := f["claims"]; ok {
		s.Claims = claimsAt(at, s)
	}
	if at, ok := f["quick"]; ok {
		s.Shorter = shorterAt(at, s)
	}
}

// howToMeasure reads lengths, repeats, CPUs and what to report.
func (in *input) howToMeasure(s *Study, f map[string]scope) {
	if at, ok := f["trial"]; ok {
		s.Trial = timingAt(at, s.Trial)
	}
	if at, ok := f["blocks"]; ok {
		s.Blocks = at.Integer(1, maxBlocks)
	}
	if at, ok := f["twin"]; ok {
		s.Twin = at.Boolean()
	}
	if at, ok := f["placement"]; ok {
		s.Placement = placementAt(at)
	}
	if at, ok := f["report"]; ok {
		s.Report = wordsOf(at, Metrics())
	}
	if at, ok := f["gate"]; ok {
		s.Gate = gateAt(at)
	}
	if at, ok := f["accept"]; ok {
		s.Accept = wordsOf(at, finding.Acceptable())
	}
	if at, ok := f["explain"]; ok {
		s.Explain = at.Boolean()
	}
	if at, ok := f["keep"]; ok {
		s.Keep = keepAt(at, s)
	}
	if at, ok := f["until"]; ok {
		s.Until = untilAt(at)
	}
}

func (in *input) reference(s *Study, f map[string]scope) {
	var names []string
	for _, subject := range s.Subjects {
		names = append(names, subject.Name)
	}
	if at, ok := f["reference"]; ok && len(names) > 0 {
		s.Reference = at.oneOf(names...)
	} else if len(names) > 0 {
		s.Reference = names[0]
	}
}

// Metrics are the figures that a study may list under report.
func Metrics() []string {
	names := []string{"throughput", "cpu", "cpu.user", "cpu.sys", "rss", "pss", "threads", "open_files", "switches", "preemptions", "run_queue", "received", "errors"}
	for _, clock := range []string{"response", "service", "first_byte"} {
		for _, figure := range []string{"mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"} {
			names = append(names, clock+"."+figure)
		}
	}
	for _, handshake := range []string{"tls_full", "tls_resumed"} {
		names = append(names, handshake+".p50", handshake+".p99")
	}
	return append(names, "allocs", "alloc.bytes", "gc.cycles", "gc.pause", "gc.cpu", "sched.max", "start", "warmup", "executable", "size", "cpu.idle", "cpu.settling")
}

func placementAt(at scope) Placement {
	if !at.IsMapping() {
		mode, _ := at.Scalar()
		if mode != "split" && mode != "shared" {
			at.Report(i18n.New("study.expected-placement", "expected split, shared or {generator: [0], subject: [1]}, got %s", at.Describe()))
		}
		return Placement{Mode: mode}
	}
	f, understood := at.fields("generator", "subject")
	for _, field := range []string{"generator", "subject"} {
		if _, ok := f[field]; understood && !ok {
			at.Report(i18n.New("study.explicit-placement-lacks", "explicit placement lacks %s", field), i18n.New("study.add-field", "add: %s: %s", field, "[0]"))
		}
	}
	return Placement{Mode: "explicit", Generator: cpusAt(f, "generator"), Subject: cpusAt(f, "subject")}
}

// cpusAt reads the list of CPUs in one field of an explicit placement.
func cpusAt(f map[string]scope, field string) []int {
	at, ok := f[field]
	if !ok {
		return nil
	}
	var cpus []int
	for _, item := range at.list() {
		cpus = append(cpus, item.Integer(0, maxCPU))
	}
	return cpus
}
