package study

import (
	"reflect"
	"strings"
	"testing"
)

const twoSubjects = `study: s
subjects: [go/gin, {name: mine, run: $OUT/a, build: "go build $DYNO_BUILD_FLAGS -o $OUT/a", tls: true, limits: {cpus: 2, memory: 64MiB}}]
requests: [{post: /echo, body: x}, {get: /}]
loads: [{closed: {}, reuse: none}]
twin: false
`

// TestLevelsReachTheCell expands a study of one factor with one level and looks
// at the cell of the user's own subject.
func TestLevelsReachTheCell(t *testing.T) {
	four := 4096
	for _, c := range []struct {
		name, factors string
		want          func(c *Cell)
	}{
		{"env", "env.GOGC: [50]", func(c *Cell) { c.Env["GOGC"] = "50" }},
		{"arguments", "args.workers: [4], args.-x: [a b], args: [-v --name 'a b'], args.none: [\"\"]", func(c *Cell) { c.Args = "--workers=4 '-x=a b' -v --name 'a b'" }},
		{"build flags", "build.flags: [-ldflags=-s -w]", func(c *Cell) { c.BuildFlags = "'-ldflags=-s -w'" }},
		{"no build flags", "build.flags: [\"\"]", func(*Cell) {}},
		{"several build flags", "build.flags: [\"-gcflags=all=-N -l -race '-tags=a b'\"]", func(c *Cell) { c.BuildFlags = "'-gcflags=all=-N -l' -race '-tags=a b'" }},
		{"number of CPUs", "cpus: [2]", func(c *Cell) { c.CPUs = "2" }},
		{"list of CPUs", "cpus: [\"1-2,5\"]", func(c *Cell) { c.CPUs = "1-2,5" }},
		{"CPU time", "cpu: [0.5]", func(c *Cell) { c.Limits = &Limits{CPUs: 0.5, Memory: 64 << 20} }},
		{"memory", "memory: [1GiB]", func(c *Cell) { c.Limits = &Limits{CPUs: 2, Memory: 1 << 30} }},
		{"no limits", "memory: [none], cpu: [none]", func(c *Cell) { c.Limits = &Limits{} }},
		{"kernel", "kernel.net.ipv4.tcp_fastopen: [3], kernel.port_range: [\"10000  60000\"]", func(c *Cell) {
			c.Kernel = map[string]string{"net.ipv4.tcp_fastopen": "3", "port_range": "10000 60000"}
		}},
		{"size", "size: [4KiB]", func(c *Cell) { c.BodySize = &four }},
		{"size in bytes", "size: [4096]", func(c *Cell) { c.BodySize = &four }},
		{"without TLS", "tls: [off]", func(*Cell) {}},
		{"with TLS", "tls: [resumed]", func(c *Cell) { c.TLS = TLSResumed }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, twoSubjects+"factors: {"+c.factors+"}\n")
			got := expand(t, s, 1).Cells
			want := expand(t, parse(t, twoSubjects), 1).Cells[1]
			want.Levels = got[1].Levels
			c.want(&want)
			if !reflect.DeepEqual(got[1], want) {
				t.Errorf("got\n%+v\nwant\n%+v", got[1], want)
			}
		})
	}
}

func TestAskedHasBodiesOfTheSize(t *testing.T) {
	s := parse(t, twoSubjects+"factors: {size: [0, 1000]}\n")
	cells := expand(t, s, 1).Cells
	for i, want := range []int{0, 1000} {
		asked := cells[i].SizedRequests()
		if len(asked[0].Body) != want || asked[1].Body != "" || strings.Contains(asked[0].Body, "{{") {
			t.Errorf("size %d: bodies of %d and %d bytes", want, len(asked[0].Body), len(asked[1].Body))
		}
		if s.Requests[0].Body != "x" {
			t.Error("the study's request changed")
		}
	}
	plainCell := expand(t, parse(t, twoSubjects), 1).Cells[0]
	if got := plainCell.SizedRequests(); !reflect.DeepEqual(got, plainCell.Requests) {
		t.Errorf("without the factor: %+v", got)
	}
}

func TestWhatChangesNothingIsRefused(t *testing.T) {
	const up = "study: s\nsubjects: [{name: up, url: \"http://h\"}]\n"
	const own = "study: s\nsubjects: [{name: own, run: ./a}]\n"
	checkProblems(t, []problemCase{
		{"arguments of what is up", up + "factors: {args.x: [1]}\n",
			`s.yaml:3:11: factors.args.x: the arguments of "up" can't be varied: it is already up`},
		{"name of an argument", own + "factors: {args.--: [1]}\n",
			`s.yaml:3:11: factors.args.--: "--" can't be the name of an argument`},
		{"open quotation", own + "factors: {args: [\"'a\"]}\n",
			`s.yaml:3:18: factors.args[0]: expected arguments as a shell reads them: a quotation has no end`},
		{"build of nothing", own + "factors: {build.flags: [-race]}\n",
			`s.yaml:3:11: factors.build.flags: "own" is not built by dyno (add: build: go build $DYNO_BUILD_FLAGS -o $OUT/server .)`},
		{"build without the flags", "study: s\nsubjects: [{name: own, run: $OUT/a, build: go build -o $OUT/a}]\nfactors: {build.flags: [-race]}\n",
			`s.yaml:3:11: factors.build.flags: the build of "own" does not use $DYNO_BUILD_FLAGS, so the flags would change nothing (go build $DYNO_BUILD_FLAGS -o $OUT/server .)`},
		{"builds that overwrite each other", "study: s\nsubjects: [{name: own, run: ./a, build: go build $DYNO_BUILD_FLAGS}]\nfactors: {build.flags: [-race]}\n",
			`s.yaml:3:11: factors.build.flags: build and run of "own" do not use the folder $OUT, so that one level's program would overwrite the other's (build: go build $DYNO_BUILD_FLAGS -o $OUT/server ., run: $OUT/server)`},
		{"flag that go build has not", minimal + "factors: {build.flags: [-O3]}\n",
			`s.yaml:3:25: factors.build.flags[0]: "-O3" is no flag of go build that can be varied (write it as -gcflags=-l or -ldflags='-s -w')`},
		{"cpus next to a cpuset", "study: s\nsubjects: [{name: own, run: ./a, limits: {cpuset: 1}}]\nfactors: {cpus: [1]}\n",
			`s.yaml:3:11: factors.cpus: the CPUs of "own" are fixed by its limits (remove cpuset)`},
		{"cpus", own + "factors: {cpus: [0, \"2-1\"]}\n",
			`s.yaml:3:18: factors.cpus[0]: expected a whole number from 1 to 4096, got "0"
s.yaml:3:21: factors.cpus[1]: expected CPUs such as 0-3,8, got "2-1"`},
		{"quotas of what is up", up + "factors: {cpu: [0.5], memory: [1MiB]}\n",
			`s.yaml:3:11: factors.cpu: the limits of "up" can't be varied: it is already up
s.yaml:3:23: factors.memory: the limits of "up" can't be varied: it is already up`},
		{"kernel setting", own + "factors: {kernel.net..ipv4: [1], kernel./proc: [1]}\n",
			`s.yaml:3:11: factors.kernel.net..ipv4: "net..ipv4" can't be the name of a kernel setting (kernel.net.ipv4.tcp_fastopen, or kernel.transparent_hugepages)
s.yaml:3:34: factors.kernel./proc: "/proc" can't be the name of a kernel setting (kernel.net.ipv4.tcp_fastopen, or kernel.transparent_hugepages)`},
		{"setting that no machine has", own + "factors: {kernel.governer: [1], kernel.turbo: [1], kernel.nett.ipv4.tcp_fastopen: [1], kernel.etc.passwd: [1]}\n",
			`s.yaml:3:11: factors.kernel.governer: there is no setting "governer" that can be given a value (did you mean "governor"?)
s.yaml:3:33: factors.kernel.turbo: there is no setting "turbo" that can be given a value (there are governor, numa_balancing, nmi_watchdog, transparent_hugepages, swappiness, port_range, somaxconn, tcp_tw_reuse, conntrack, tcp_fastopen, smt, and sysctls such as net.ipv4.tcp_fastopen)
s.yaml:3:52: factors.kernel.nett.ipv4.tcp_fastopen: nett.ipv4.tcp_fastopen is not the name of a sysctl (did you mean "net.ipv4.tcp_fastopen"?)
s.yaml:3:88: factors.kernel.etc.passwd: etc.passwd is not the name of a sysctl (such as net.ipv4.tcp_fastopen; they begin with abi, debug, dev, fs, kernel, net, user, vm)`},
		{"size of no body", minimal + "factors: {size: [1, 2]}\n",
			`s.yaml:3:11: factors.size: none of the requests has a body whose size could be varied (requests: [{post: /, body: x}])`},
		{"TLS of a service without", up + "factors: {tls: [full]}\n",
			`s.yaml:3:11: factors.tls: "up" is up without TLS (give its https:// address)`},
		{"no TLS of a service with", "study: s\nsubjects: [{name: up, url: \"https://h\"}]\nfactors: {tls: [off]}\n",
			`s.yaml:3:11: factors.tls: "up" is up with TLS and can't be had without`},
		{"TLS of a program that may not have it", own + "factors: {tls: [full]}\n",
			`s.yaml:3:11: factors.tls: dyno does not know that "own" speaks TLS (add: tls: true, if it listens with TLS where DYNO_TLS_CERT and DYNO_TLS_KEY name files)`},
		{"handshakes before anything is measured", minimal + "factors: {tls: [full, resumed]}\n",
			`s.yaml:3:11: factors.tls: the load "saturate" keeps its connections, so that full and resumed change nothing that is measured (add to the load: reuse: none)`},
		{"trust without TLS", "study: s\nsubjects: [{name: up, url: \"http://h\", insecure: true}]\n",
			`s.yaml:2:50: subjects[0].insecure: insecure goes with an https:// url or metrics only`},
		{"tls of a service that is up", "study: s\nsubjects: [{name: up, url: \"http://h\", tls: true}]\n",
			`s.yaml:2:45: subjects[0].tls: tls goes with run only; a service that is up has it in its https:// address`},
	})
}

func TestPickCPUs(t *testing.T) {
	placed, online := []int{1, 2, 3}, []int{0, 1, 2, 3}
	for level, want := range map[string][]int{"": placed, "1": {1}, "3": placed, "4": nil, "0-1": {0, 1}, "2,0": {0, 2}, "3-4": nil} {
		got, err := (&Cell{CPUs: level}).PickCPUs(placed, online)
		if !reflect.DeepEqual(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v, want %v", level, got, err, want)
		}
	}
}
