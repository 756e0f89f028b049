// Package analysistest makes up archived runs for tests: deterministic, with
// the shapes and the accidents of real ones, and without starting anything.
//
// The figures are plausible, not measured. Tests may rely on the accidents
// listed at [Run] and on nothing finer.
package analysistest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Shape of every made-up run.
const (
	Blocks      = 6
	Seconds     = 3 // measured windows of a trial; one warm-up window precedes them
	Connections = 64
	Rate        = 4000 // requests per second of the open loop
)

// defaultSubjects are the subjects of a run made without naming any.
var defaultSubjects = []string{"nethttp", "gin", "echo", "fiber", "chi", "fasthttp", "hertz", "raw-epoll"}

// Run makes up the run of a closed-loop study with the subjects named, or with
// eight if none is; the first is the reference. The same seed and subjects give
// the same run. Its histograms are in memory; Dir is empty.
//
// Accidents, by the subject's position where there is such a position:
//   - 0 and 1 cost the same (which an honest test denies for one seed in twenty,
//     such as 1), the others cost visibly more, each than the last;
//   - 2 and 5 are Go programs with the probe helper and pause for 20 ms of
//     garbage collection in some windows, which their tail shows;
//   - 3 has a window of block 1 that is invalid because the generator stalled;
//   - 4 has a window of block 2 that is suspect because of steal;
//   - the trial of 6 in block 3 failed: the subject died after one second;
//   - the trial of 1 in block 4 is invalid as a whole;
//   - 7 has a few timeouts in every trial, and no probe of its process.
func Run(seed uint64, subjects ...string) *archive.Run {
	return makeUp(seed, subjects, profile.Profile{Mode: profile.Closed, Connections: Connections})
}

// OpenLoop is [Run] with Poisson arrivals at [Rate]. Half a percent of the
// arrivals of the last subject's first block are shed.
func OpenLoop(seed uint64, subjects ...string) *archive.Run {
	return makeUp(seed, subjects, profile.Profile{
		Mode: profile.Open, Connections: Connections, Rate: Rate, Arrivals: profile.Poisson,
	})
}

func makeUp(seed uint64, subjects []string, profile profile.Profile) *archive.Run {
	if len(subjects) == 0 {
		subjects = slices.Clone(defaultSubjects)
	}
	m := manifest(seed, subjects, profile)
	run := &archive.Run{Manifest: m}
	for _, planned := range m.Plan.Trials {
		run.Trials = append(run.Trials, newMaker(planned, len(subjects), profile).trial())
	}
	return run
}

// began is when every made-up run began.
var began = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

func manifest(seed uint64, subjects []string, p profile.Profile) archive.Manifest {
	name := "saturate"
	if p.Mode == profile.Open {
		name = "steady"
	}
	plan := plan(seed, subjects, name, p)
	m := archive.Manifest{
		Schema: 1, ID: fmt.Sprintf("20260314-092653-made-up-%04x", seed&0xffff),
		Study: "made-up", Question: "Which of these made-up frameworks costs least?",
		StudySource: "name: made-up\nquestion: Which of these made-up frameworks costs least?\n",
		StudyPath:   "builtin:made-up", Command: []string{"dyno", "run", "made-up", "--seed", fmt.Sprint(seed)},
		Dyno: "v0.0.0-test", Started: began, Finished: began.Add(plan.Estimate), Status: archive.Complete,
		Plan: plan, Reference: subjects[0],
		Machine: machine.Fingerprint{
			OS: "linux", Distribution: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.18.0", Arch: "amd64",
			CPUModel: "Made-up CPU @ 3.00GHz", CPUs: 4, ClockSource: "tsc", Virtualization: "KVM",
			MemoryBytes: 16 << 30, Cgroup: "v2", Congestion: "cubic", Somaxconn: 4096, FileLimit: 1 << 20,
			PortRange: "32768-60999", THP: "madvise", GoVersion: "go1.26",
			Remarks: []i18n.Message{i18n.Verbatim("virtual machine: other tenants may take CPU time (steal)")},
			Missing: []string{"governor: no cpufreq on this machine"},
		},
		Placement: archive.Placement{Mode: "split", Generator: []int{0, 1}, Subject: []int{2, 3}},
		Warmup:    time.Second, Duration: Seconds * time.Second,
	}
	for i, s := range subjects {
		m.Subjects = append(m.Subjects, archive.Subject{
			Name: s, Language: "go", Framework: s, Version: fmt.Sprintf("v1.%d.0", i), Role: "production",
			BuildHash: fmt.Sprintf("sha256:%064x", i+1), Command: "./" + s + " -port $PORT",
		})
	}
	return m
}

func plan(seed uint64, subjects []string, name string, profile profile.Profile) study.Plan {
	r := rand.New(rand.NewPCG(seed, 0))
	p := study.Plan{Seed: seed}
	for i, s := range subjects {
		c := study.Cell{
			Index: i, Subject: s, Load: name, Profile: profile, Timeout: 10 * time.Second,
			Levels:   map[string]string{"connections": fmt.Sprint(Connections)},
			Requests: []request.Request{{Name: "plaintext", Method: "GET", Path: "/plaintext"}},
		}
		p.Cells = append(p.Cells, c)
	}
	for block := range Blocks {
		blockSeed := r.Uint64()
		for _, cell := range r.Perm(len(subjects)) {
			p.Trials = append(p.Trials, study.PlannedTrial{
				Index: len(p.Trials), Block: block, Cell: cell, Seed: blockSeed,
			})
		}
	}
	p.Estimate = time.Duration(len(p.Trials)) * (Seconds + 1) * time.Second
	return p
}
