//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// arm is a subject of a made-up study: this program, with faults.
type arm struct{ name, flags string }

// apart begins the flags of an arm that is started by a program which stays beside it and
// does not serve.
const apart = "APART "

// asking is a study of two arms, whose truth is known.
type asking struct {
	arms   []arm
	load   string   // of the study file
	claims []string // each a claim in YAML
	blocks int
	trial  string // duration; 1s if empty
	stops  []stop
	args   []string
	expect string // of the responses, in YAML
	hogs   bool
	judge  func(r *studyReport, e *Examined)
}

// studyReport is what dyno says of a run, as far as it is asked about.
type studyReport struct {
	asked
	list     asked // dyno list
	text     string
	Validity string    `json:"validity"`
	Findings []finding `json:"findings"`
	Groups   []struct {
		Cells []struct {
			Subject   string               `json:"subject"`
			Values    map[string][]float64 `json:"values"`
			Estimates map[string]interval  `json:"estimates"`
			Ratios    map[string]interval  `json:"ratios"`
			Merged    map[string]interval  `json:"merged"`
			Invalid   int                  `json:"invalid_windows"`
			Trials    []int                `json:"trials"`
		} `json:"cells"`
		Ranking map[string][]struct {
			Subject string `json:"subject"`
		} `json:"ranking"`
	} `json:"groups"`
	Claims []struct {
		ID      string `json:"id"`
		Verdict string `json:"verdict"`
	} `json:"claims"`
}

type interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`
}

func (i interval) String() string { return fmt.Sprintf("%.3f (%.3f–%.3f)", i.Value, i.Low, i.High) }

// verdict is that on a claim; "" if there is none.
func (r *studyReport) verdict(id string) string {
	for _, c := range r.Claims {
		if c.ID == id {
			return c.Verdict
		}
	}
	return ""
}

// notAnyOf says that a claim's verdict is none that would be false.
func (e *Examined) notAnyOf(r *studyReport, id, so string, falsehoods ...string) {
	v := r.verdict(id)
	wrong := slices.ContainsFunc(falsehoods, func(f string) bool { return v == f || strings.HasPrefix(v, f) })
	switch {
	case v == "" || strings.HasPrefix(v, "undecided") || strings.HasPrefix(v, "unmeasurable"):
		e.silent("claim "+id, v, so)
	default:
		e.say("claim "+id, !wrong, v, so)
		e.heard(r.says())
	}
}

func (r *studyReport) says() string {
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Name)
	}
	return fmt.Sprintf("run %s (%s), exit %d", r.Validity, strings.Join(names, ", "), r.code)
}

// source is the study file.
func (a *asking) source(l *lab, dir string) string {
	var b strings.Builder
	trial := a.trial
	if trial == "" {
		trial = "1s"
	}
	fmt.Fprintf(&b, "study: truth\nquestion: Is what the lab says so?\nsubjects:\n")
	for _, arm := range a.arms {
		flags := strings.ReplaceAll(arm.flags, "STATE", filepath.Join(dir, arm.name+".starts"))
		run := l.self + " serve " + flags
		if on, is := strings.CutPrefix(flags, apart); is {
			run = "(setsid " + l.self + " serve " + on + " >/dev/null 2>&1 &); exec sleep 1000"
		}
		fmt.Fprintf(&b, "  - {name: %s, run: %q, ready: /ready}\n", arm.name, run)
	}
	expect := ""
	if a.expect != "" {
		expect = ", expect: " + a.expect
	}
	fmt.Fprintf(&b, "requests: [{name: root, get: /"+expect+"}]\nloads: [%s]\ntrial: {warmup: 300ms, duration: %s}\nblocks: %d\n", a.load, trial, a.blocks)
	if len(a.claims) > 0 {
		fmt.Fprintf(&b, "claims:\n  - %s\n", strings.Join(a.claims, "\n  - "))
	}
	return b.String()
}

func (a *asking) examine(ctx context.Context, l *lab, e *Examined) error {
	dir, err := os.MkdirTemp(l.dir, "study-")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "truth.yaml")
	if err := os.WriteFile(file, []byte(a.source(l, dir)), 0o644); err != nil {
		return err
	}
	if a.hogs {
		stop, err := l.hog(ctx, -1)
		if err != nil {
			return err
		}
		defer stop()
	}
	archive := filepath.Join(dir, "runs")
	ran, err := l.ask(ctx, e, nil, a.stops, append([]string{"run", file, "--archive", archive, "--quiet", "--seed", "11"}, a.args...)...)
	if err != nil {
		return err
	}
	r := &studyReport{asked: ran}
	if analysed, err := l.ask(ctx, e, nil, nil, "report", "latest", "--archive", archive, "--json"); err != nil {
		return err
	} else if err := json.Unmarshal([]byte(analysed.stdout), r); err != nil {
		return fmt.Errorf("dyno report --json: %w\n%s\n%s", err, analysed.stderr, ran.stderr)
	}
	told, err := l.ask(ctx, e, nil, nil, "report", "latest", "--archive", archive, "--markdown")
	if err != nil {
		return err
	}
	r.text = told.stdout
	if r.list, err = l.ask(ctx, e, nil, nil, "list", "--archive", archive); err != nil {
		return err
	}
	a.judge(r, e)
	return nil
}

const (
	closed8 = "{name: closed, closed: {connections: 8}}"
	open200 = "{name: steady, open: {rate: 200, arrivals: uniform, connections: 32}}"
)

func studyCases() (cases []Case) {
	add := func(name, injected string, a asking) {
		cases = append(cases, Case{Name: "studies/" + name, Injected: injected, Examine: a.examine})
	}
	add("half-as-long-again", "b takes 6 ms, a 4 ms, starts differ by 1 %", asking{
		arms: []arm{{"a", "-delay 4ms -jitter 0.01 -state STATE"}, {"b", "-delay 6ms -jitter 0.01 -state STATE"}}, load: closed8, blocks: 6,
		claims: []string{
			"{id: right, holds: \"response.p50[b] / response.p50[a] >= 1.2\"}",
			"{id: too-much, holds: \"response.p50[b] / response.p50[a] >= 2\"}",
			"{id: opposite, holds: \"response.p50[b] / response.p50[a] <= 0.9\"}",
			"{id: rate, holds: \"throughput[a] / throughput[b] >= 1.2\"}",
		},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "right", "about 1.48 times", "refuted", "size refuted", "opposite", "no effect")
			e.notAnyOf(r, "too-much", "about 1.48 times", "confirmed", "opposite", "no effect")
			e.notAnyOf(r, "opposite", "about 1.48 times", "confirmed", "direction", "no effect")
			e.notAnyOf(r, "rate", "about 1.48 times", "refuted", "size refuted", "opposite", "no effect")
			e.ratioIn(r, "b", "response.p50", 1.35, 1.52)
		},
	})
	add("no-difference", "a and b are the same program", asking{
		arms: []arm{{"a", "-delay 4ms"}, {"b", "-delay 4ms"}}, load: closed8, blocks: 6,
		claims: []string{
			"{id: third-less, holds: \"response.p50[b] / response.p50[a] <= 0.69\"}",
			"{id: third-more, holds: \"throughput[b] / throughput[a] >= 1.31\"}",
		},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "third-less", "the same", "confirmed", "direction", "opposite")
			e.notAnyOf(r, "third-more", "the same", "confirmed", "direction", "opposite")
			e.ratioIn(r, "b", "response.p50", 0.9, 1.1)
		},
	})
	add("fails-15%-in-every-second-start", "b fails 15 % of its requests in every second start", asking{
		arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms -fail 0.15 -every 2 -state STATE"}}, load: open200, blocks: 6,
		claims: []string{"{id: few-errors, holds: \"errors[b] < 1%\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "few-errors", "7.5 % on average", "confirmed", "direction")
			e.say("what is said of b", mentions(r.text, "errors", "failed"), r.says(), "it fails")
			e.say("trials of b", e.used(r, "b") >= e.used(r, "a")-1, fmt.Sprintf("%d of b, %d of a are used", e.used(r, "b"), e.used(r, "a")), "failing is a result")
		},
	})
	add("fails-16%-in-every-third-start", "b fails 16 % of its requests in every third start", asking{
		arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms -fail 0.16 -every 3 -state STATE"}}, load: closed8, blocks: 6,
		claims: []string{"{id: few-errors, holds: \"errors[b] < 1%\"}", "{id: as-good, holds: \"errors[b] <= errors[a]\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "few-errors", "5.3 % on average", "confirmed", "direction")
			e.notAnyOf(r, "as-good", "5.3 % against none", "confirmed")
		},
	})
	add("dies-in-every-second-start", "b is gone after 0.6 s in every second start", asking{
		arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms -die-after 600ms -every 2 -state STATE"}}, load: open200, blocks: 6,
		claims: []string{"{id: few-errors, holds: \"errors[b] < 1%\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "few-errors", "it died", "confirmed", "direction")
			e.say("what is said of b", mentions(r.text+r.stdout+r.stderr, "died", "ended", "exit", "gone"), r.says(), "it died")
		},
	})
	add("never-starts-every-third-time", "every third start of b fails", asking{
		arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms -no-start -every 3 -state STATE"}}, load: open200, blocks: 6,
		claims: []string{"{id: few-errors, holds: \"errors[b] < 1%\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.say("what is said of b", mentions(r.text+r.stdout+r.stderr, "start"), r.says(), "it did not start")
			e.notAnyOf(r, "few-errors", "a third of its starts failed", "confirmed")
		},
	})
	add("stopped-lab", "dyno is stopped for 1.2 s, three times; the service takes 1 ms, always", asking{
		arms: []arm{{"a", "-delay 1ms"}}, load: "{name: steady, open: {rate: 3000, arrivals: uniform, connections: 32}}", blocks: 3, trial: "4s",
		stops:  []stop{{4 * time.Second, 1200 * time.Millisecond}, {9 * time.Second, 1200 * time.Millisecond}, {14 * time.Second, 1200 * time.Millisecond}},
		claims: []string{"{id: quick, holds: \"response.p99[a] < 100ms\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "quick", "1 ms", "refuted", "size refuted", "opposite")
			for _, v := range e.values(r, "a", "response.max") {
				e.say("response.max of a trial", v < 500_000, micro(v), "1 ms and what the machine adds; not the stop")
			}
		},
	})
	add("slow-starts-25%", "a quarter of b's starts are half as long again; the others equal a", asking{
		arms: []arm{{"a", "-delay 4ms"}, {"b", "-delay 4ms -slow 6ms -slow-share 1 -every 4 -state STATE"}}, load: closed8, blocks: 8,
		claims: []string{"{id: half-as-long, holds: \"response.p50[b] / response.p50[a] >= 1.45\"}", "{id: shorter, holds: \"response.p50[b] / response.p50[a] < 0.95\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "half-as-long", "1.1 times in the mean over starts", "confirmed", "opposite")
			e.notAnyOf(r, "shorter", "1.1 times in the mean over starts", "confirmed", "direction")
		},
	})
	add("few-blocks", "three blocks: whatever is confirmed rests on little", asking{
		arms: []arm{{"a", "-delay 4ms"}, {"b", "-delay 8ms"}}, load: closed8, blocks: 3,
		claims: []string{"{id: twice, holds: \"response.p50[b] / response.p50[a] >= 1.5\"}"},
		judge: func(r *studyReport, e *Examined) {
			e.notAnyOf(r, "twice", "about 1.9 times", "refuted", "size refuted", "opposite", "no effect")
			e.say("the caveat", mentions(r.text, "3 blocks", "three blocks", "few blocks"), headOf(r.text), "three blocks are few")
		},
	})
	add("beside-hogs", "every CPU is also used by another program", asking{
		arms: []arm{{"a", "-delay 1ms"}, {"b", "-delay 1ms"}}, load: closed8, blocks: 2, hogs: true,
		judge: func(r *studyReport, e *Examined) {
			e.say("validity", !strings.EqualFold(r.Validity, "valid"), r.says(), "another program used the CPUs")
			e.say("who it was", mentions(fmt.Sprint(r.Findings)+r.text+r.stderr+r.stdout, "truth"), r.says(), "the program truth")
		},
	})
	add("a-has-no-tail-figure", "a serves 30 a second only: too few for a p99.9", asking{
		arms: []arm{{"a", "-delay 300ms"}, {"b", "-delay 2ms"}}, load: closed8, blocks: 3,
		judge: func(r *studyReport, e *Examined) {
			first := headOf(r.text)
			e.say("the headline", !mentions(first, "a has the shortest", "a is fastest", "a serves"), first, "b is some hundred times as fast")
		},
	})
	add("tie", "a and b are the same program: nobody wins", asking{
		arms: []arm{{"a", "-delay 3ms -jitter 0.02 -state STATE"}, {"b", "-delay 3ms -jitter 0.02 -state STATE"}}, load: closed8, blocks: 4,
		judge: func(r *studyReport, e *Examined) {
			ratio, there := r.ratio("b", "response.p50")
			excluded := there && (ratio.Low > 1 || ratio.High < 1)
			first := headOf(r.text)
			e.say("the headline", excluded || !mentions(first, "costs least", "shortest tail", "is fastest"), first, "they are the same")
		},
	})
	add("accepted", "15 % of the responses fail, and that was accepted: not a plain VALID", asking{
		arms: []arm{{"a", "-delay 2ms -fail 0.15"}}, load: open200, blocks: 2, args: []string{"--accept", "errors"},
		judge: func(r *studyReport, e *Examined) {
			e.say("the word", mentions(r.text, "accepted"), headOf(r.text), "a finding was accepted")
		},
	})
	return cases
}

func headOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(len(lines), 8)], " / ")
}

// used is how many trials of a subject figures rest on.
func (e *Examined) used(r *studyReport, subject string) (n int) {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if c.Subject == subject {
				n += len(c.Trials)
			}
		}
	}
	return n
}

// values are those of a subject's trials.
func (e *Examined) values(r *studyReport, subject, metric string) (values []float64) {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if c.Subject == subject {
				values = append(values, c.Values[metric]...)
			}
		}
	}
	return values
}

func (r *studyReport) ratio(subject, metric string) (interval, bool) {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if i, ok := c.Ratios[metric]; ok && c.Subject == subject {
				return i, true
			}
		}
	}
	return interval{}, false
}

// ratioIn says that a ratio's interval holds something of what it may truly be.
func (e *Examined) ratioIn(r *studyReport, subject, metric string, low, high float64) {
	so := fmt.Sprintf("%.2f to %.2f", low, high)
	i, there := r.ratio(subject, metric)
	if !there {
		e.silent("ratio of "+metric, "none", so)
		return
	}
	e.say("ratio of "+metric, i.High >= low && i.Low <= high, i.String(), so)
	e.heard(r.says())
}
