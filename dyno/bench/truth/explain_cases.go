//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// explained is a cause that is injected into a service, and what the lab has to name.
type explained struct {
	name     string
	injected string
	cause    string    // of the service itself: see suffer
	outside  injection // nil for none
	want     []string  // what may come first
	second   []string  // what must be in the first two beside it: two causes at once
	load     string    // of the load, in addition to what all have
	headers  string    // of the requests; "" for none
	stage    stage     // what is measured instead of the service; nil for itself
	told     string    // the part of Server-Timing that slow requests must have most more of; "" for any
}

// byMachine are the causes that a machine may bring about with nothing injected.
var byMachine = []string{"cpu-wait", "steal", "generator", "interrupt", "frequency", "network-delay"}

func injectedCauses() []explained {
	return []explained{
		{name: "none", injected: "nothing"},
		{name: "fsync", injected: "one request of 100 waits for the disk for 30 ms", cause: "fsync", want: []string{"disk"}},
		{name: "file-lock", injected: "one request of 40 waits for a file's lock that is held 20 ms", cause: "flock", want: []string{"lock"}},
		{name: "mutex", injected: "one request of 40 waits for a mutex that is held 20 ms", cause: "mutex", want: []string{"lock"}},
		{name: "sleep", injected: "one request of 40 sleeps 30 ms", cause: "sleep", want: []string{"sleep"}},
		{name: "work", injected: "one request of 40 computes 25 ms", cause: "work", want: []string{"work"}},
		{name: "pipe", injected: "one request of 40 reads from a pipe that is silent for 30 ms", cause: "pipe", want: []string{"blocked"}},
		{name: "page-faults", injected: "one request of 40 touches 48 MB of fresh memory", cause: "fault", want: []string{"page-fault"}},
		{name: "resolver", injected: "one request of 40 asks a name server that takes 200 ms", cause: "dns", want: []string{"dns"}},
		{name: "upstream", injected: "one request of 40 asks an upstream that takes 40 ms", cause: "upstream", want: []string{"upstream"}},
		{name: "loop", injected: "one request of 300 computes 60 ms on the only event loop: those behind it wait", cause: "loop", want: []string{"loop-queue"}},
		{name: "accept", injected: "one connection of 40 is accepted 30 ms late, each request on a new one", cause: "accept", want: []string{"accept-queue"}, load: ", reuse: none"},
		{name: "http2-sleep", injected: "over HTTP/2, a stream at a time, one request of 40 sleeps 30 ms", cause: "sleep", want: []string{"sleep"}, load: ", http2: true"},
		{name: "http2-pipe", injected: "over HTTP/2, a stream at a time, one request of 40 reads from a pipe that is silent for 30 ms", cause: "pipe", want: []string{"blocked"}, load: ", http2: true"},
		{name: "http2-upstream", injected: "over HTTP/2, a stream at a time, one request of 40 asks an upstream that takes 40 ms", cause: "upstream", want: []string{"upstream"}, load: ", http2: true"},
		{name: "http2-work", injected: "over HTTP/2, a stream at a time, one request of 40 computes 25 ms", cause: "work", want: []string{"work"}, load: ", http2: true"},
		{name: "http2-hog", injected: "over HTTP/2, a stream at a time, another program computes 100 ms of 400 on the service's CPU", outside: hog, want: []string{"cpu-wait"}, load: ", http2: true"},
		{name: "path", injected: "one response of 40 is long, and its path takes 4 MB/s", cause: "path", want: []string{"send-queue"}},
		{name: "nagle", injected: "one response of 40 is written in two pieces, without TCP_NODELAY", cause: "nagle", want: []string{"send-queue"}},
		{name: "slow-reader", injected: "one response of 40 is long, and the client reads 4 MB/s", cause: "long", want: []string{"send-queue"}, load: slowReaders},
		{name: "lazy", injected: "a connection isn't read for 100 ms after one response of 40", cause: "lazy", want: []string{"receive-queue"}},
		{name: "loss", injected: "one segment of a hundred to the service is lost", cause: "loss", want: []string{"retransmit"}},
		{name: "collections", injected: "a heap of 4 million pointers is collected twice a second, on a CPU without the generator", cause: "gc", outside: ownCPU, want: []string{"gc"}},
		{name: "timers", injected: "50,000 timers come due at once, twice a second", cause: "timers", want: []string{"scheduler", "cpu-wait"}},
		{name: "hog", injected: "another program computes 100 ms of 400 on the service's CPU", outside: hog, want: []string{"cpu-wait"}},
		{name: "quota", injected: "a quota of 4 ms each 100 ms", outside: quota, want: []string{"throttled"}},
		{name: "stopped", injected: "the process is stopped for 60 ms each second", outside: stoppingFor(60*time.Millisecond, time.Second), want: []string{"stopped"}},
		{name: "nightly", injected: "another program writes to the disk that one request of 100 waits for", cause: "fsync", outside: nightly, want: []string{"disk"}},
		{name: "pauses", injected: "the network stands still for 30 ms of 500", stage: onPausingNetwork, want: []string{"network-delay"}},
		{name: "gateway-upstream", injected: "through nanogate, one request of 40 sleeps 30 ms in the upstream", cause: "sleep", stage: behindGateway(""), headers: askGateway, want: []string{"upstream"}, told: "upstream"},
		{name: "gateway-held", injected: "through nanogate, which holds one request of 40 for 30 ms by a timer: no cause of the list", stage: behindGateway(heldInGateway), headers: askGateway, told: "forwarding.fault"},
		{name: "two-disk-upstream", injected: "one request of 100 waits for the disk for 30 ms or, in turns, for an upstream", cause: "both", want: []string{"disk", "upstream"}, second: []string{"disk", "upstream"}},
		{name: "two-stopped-fsync", injected: "stopped for 60 ms every 6 s, and one request of 200 waits for the disk for 30 ms", cause: "commit", outside: stoppingFor(60*time.Millisecond, 6*time.Second), want: []string{"stopped", "disk"}, second: []string{"stopped", "disk"}},
		{name: "http2-two-disk-upstream", injected: "over HTTP/2, a stream at a time: one request of 100 waits for the disk for 30 ms or, in turns, for an upstream", cause: "both", want: []string{"disk", "upstream"}, second: []string{"disk", "upstream"}, load: ", http2: true"},
		{name: "http2-two-stopped-fsync", injected: "over HTTP/2, a stream at a time: stopped for 60 ms every 6 s, and one request of 200 waits for the disk for 30 ms", cause: "commit", outside: stoppingFor(60*time.Millisecond, 6*time.Second), want: []string{"stopped", "disk"}, second: []string{"stopped", "disk"}, load: ", http2: true"},
	}
}

// explainCases ask for the causes of tails that are known. They take root.
func explainCases() (cases []Case) {
	for _, x := range injectedCauses() {
		cases = append(cases, Case{Name: "explain/" + x.name, Injected: x.injected, Examine: x.examine})
	}
	return cases
}

// named is what dyno explain said.
type named struct {
	Causes []struct {
		Name  string  `json:"name"`
		Share float64 `json:"share"`
	} `json:"causes"`
	Unexplained  float64  `json:"unexplained"`
	Source       string   `json:"source"`
	Notes        []string `json:"notes"`
	ServerTiming []struct {
		Name string `json:"name"`
	} `json:"server_timing"`
}

// says writes the causes in their order.
func (n *named) says() string {
	if len(n.Causes) == 0 {
		return "no cause found"
	}
	var parts []string
	for _, c := range n.Causes {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", c.Name, 100*c.Share))
	}
	return strings.Join(parts, ", ")
}

// tells is the part of Server-Timing that slow requests had most more of.
func (n *named) tells() string {
	if len(n.ServerTiming) == 0 {
		return "nothing"
	}
	return n.ServerTiming[0].Name
}

// right reports whether what was named is what was injected.
func (x *explained) right(n *named) bool {
	if len(x.want) == 0 {
		for _, c := range n.Causes {
			if !slices.Contains(byMachine, c.Name) {
				return false
			}
		}
		return true
	}
	if len(n.Causes) == 0 || !slices.Contains(x.want, n.Causes[0].Name) {
		return false
	}
	if len(x.second) == 0 {
		return len(n.Causes) < 2 || n.Causes[1].Share < n.Causes[0].Share/2
	}
	return len(n.Causes) > 1 && slices.Contains(x.second, n.Causes[1].Name)
}

// examine injects, loads and asks, as often as the lab does each.
func (x explained) examine(ctx context.Context, l *lab, e *Examined) error {
	so := "no cause, or the machine's"
	if len(x.want) > 0 {
		so = strings.Join(x.want, " or ")
	}
	if len(x.second) > 0 {
		so = strings.Join(x.want, " and ")
	}
	if os.Geteuid() != 0 {
		e.silent("all runs", "only root may ask the kernel", so)
		return nil
	}
	first := 0
	for run := range l.each {
		n, err := x.once(ctx, l, e)
		if err != nil {
			return err
		}
		about := fmt.Sprintf("run %d", run+1)
		switch {
		case x.right(n):
			first++
			e.say(about, true, n.says(), so)
		case len(n.Causes) == 0:
			e.silent(about, strings.Join(append([]string{n.says()}, n.Notes...), "; "), so)
		default:
			e.say(about, false, n.says(), so)
		}
		switch told := about + ", Server-Timing"; {
		case x.told == "":
		case len(n.ServerTiming) == 0:
			e.silent(told, n.tells(), x.told)
		default:
			e.say(told, n.tells() == x.told, n.tells(), x.told)
		}
	}
	e.Right = fmt.Sprintf("%d/%d", first, l.each)
	return nil
}

// study measures the service once, with evidence of its requests. What disturbs on a busy
// machine is accepted: it is one of the causes.
func (x *explained) study(subject string, seconds int) string {
	return fmt.Sprintf(`study: why
question: Why are the slow requests slow?
explain: true
subjects:
  - {name: it, %s}
requests:
  - {name: get, get: /%s}
loads:
  - {name: steady, open: {rate: 300, arrivals: poisson, connections: 16}%s}
trial: {warmup: 2s, duration: %ds}
blocks: 1
accept: [generator-stalled, generator-late, rate-missed, other-load, steal]
`, subject, x.headers, x.load, seconds)
}

// once injects the cause into a fresh service and loads it.
func (x *explained) once(ctx context.Context, l *lab, e *Examined) (*named, error) {
	upstream := slowUpstream()
	defer upstream.Close()
	resolver := ""
	if x.cause == "dns" {
		addr, stop, err := slowResolver()
		if err != nil {
			return nil, err
		}
		defer stop()
		resolver = addr
	}
	s, err := x.start(ctx, l, upstream.URL, resolver)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if x.outside != nil {
		undo, err := x.outside(ctx, l, s.pid)
		if err != nil {
			return nil, err
		}
		defer undo()
	}
	file := filepath.Join(l.dir, "why.yaml")
	if err := os.WriteFile(file, []byte(x.study(s.subject, l.seconds)), 0o600); err != nil {
		return nil, err
	}
	if a, err := l.ask(ctx, e, nil, nil, "run", file, "--plain", "--keep-going", "--repeats", "0"); err != nil {
		return nil, err
	} else if a.code == 2 {
		return nil, fmt.Errorf("dyno run: exit code %d\n%s", a.code, a.stderr)
	}
	a, err := l.ask(ctx, e, nil, nil, "explain", "latest", "--json")
	if err != nil {
		return nil, err
	}
	if a.code != 0 {
		return nil, fmt.Errorf("dyno explain: exit code %d\n%s", a.code, a.stderr)
	}
	var n named
	if err := json.NewDecoder(bytes.NewReader([]byte(a.stdout))).Decode(&n); err != nil {
		return nil, fmt.Errorf("dyno explain --json: %w", err)
	}
	return &n, nil
}
