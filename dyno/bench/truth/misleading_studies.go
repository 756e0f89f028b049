//go:build linux

package main

import (
	"fmt"
	"slices"
)

// misleadingStudy is a study of which something false is easily told.
type misleadingStudy struct {
	name, injected string
	of             asking
}

func misleadingStudies() []misleadingStudy {
	noise := []string{"--accept", "other-load"}
	wrong := "{status: 200, body: '== " + goodBody + "'}"
	return []misleadingStudy{
		{"one-pair", "one block: the A/A comparison has one pair, and no interval", asking{
			arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms"}}, load: open200, blocks: 1, args: noise,
			judge: func(r *studyReport, e *Examined) {
				e.say("the noise", !mentions(r.text, "differ by at most that"), headOf(r.text), "nothing is known of it")
			},
		}},
		{"one-start", "one start of 10 s: its p50 and p99 have no interval", asking{
			arms: []arm{{"a", "-delay 2ms"}}, load: open200, blocks: 1, trial: "10s", args: noise,
			judge: func(r *studyReport, e *Examined) {
				for _, name := range []string{"response.p50", "response.p99"} {
					if i, there := r.merged("a", name); !there {
						e.silent(name, "none", "no interval")
					} else {
						e.say(name, i.Level == 0, fmt.Sprintf("%v at %g", i, i.Level), "no interval")
					}
				}
			},
		}},
		{"launcher", "b is started by a program that stays, and does not serve", asking{
			arms: []arm{{"a", "-delay 2ms"}, {"b", apart + "-delay 2ms -die-after 20s"}}, load: open200, blocks: 2, args: noise,
			judge: func(r *studyReport, e *Examined) {
				for _, metric := range []string{"cpu", "rss", "open_files", "threads"} {
					values := e.values(r, "b", metric)
					e.say(metric+" of b", len(values) == 0, fmt.Sprint(values), "not seen")
				}
			},
		}},
		{"wrong-answers", "b responds in half the time, and 2 % of its responses are wrong", asking{
			arms: []arm{{"a", "-delay 8ms"}, {"b", "-delay 4ms -wrong 0.02"}}, load: closed8, blocks: 3, args: noise, expect: wrong,
			judge: func(r *studyReport, e *Examined) {
				e.say("b's rank", !r.ranked("b"), headOf(r.text), "none: it responds wrongly")
				e.say("the headline", !mentions(firstLine(r.text), "b serves", "b has", "best"), firstLine(r.text), "b wins nothing")
			},
		}},
		{"few-failures", "b fails 0.4 % of its requests, a none", asking{
			arms: []arm{{"a", "-delay 2ms"}, {"b", "-delay 2ms -fail 0.004"}}, load: closed8, blocks: 4, args: noise,
			judge: func(r *studyReport, e *Examined) {
				if e.used(r, "a") < 2 || e.used(r, "b") < 2 {
					e.silent("what is said of b", r.says(), "it fails more")
					return
				}
				e.say("what is said of b", mentions(r.text, "b failed"), headOf(r.text), "it fails more than a")
			},
		}},
		{"cold-start", "the service takes 20 ms for 4 of 12 s, and 2 ms from then on", asking{
			arms: []arm{{"a", "-delay 2ms -slow 20ms -cold 4s"}}, load: "{name: closed, closed: {connections: 2}}", blocks: 2, trial: "12s", args: noise,
			judge: func(r *studyReport, e *Examined) {
				if !r.found("still-warming-up") || len(r.Groups) == 0 || e.used(r, "a") == 0 {
					e.silent("throughput", r.says(), "that of the warm service")
					return
				}
				out := 0
				for _, c := range r.Groups[0].Cells {
					out += c.Invalid
				}
				e.say("seconds left out", out >= 3, fmt.Sprint(out), "the 4 cold ones of each trial")
			},
		}},
	}
}

// merged is the quantile of all requests of a subject.
func (r *studyReport) merged(subject, metric string) (interval, bool) {
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			if i, ok := c.Merged[metric]; ok && c.Subject == subject {
				return i, true
			}
		}
	}
	return interval{}, false
}

// ranked reports whether a subject has a rank by throughput.
func (r *studyReport) ranked(subject string) bool {
	for _, g := range r.Groups {
		for _, p := range g.Ranking["throughput"] {
			if p.Subject == subject {
				return true
			}
		}
	}
	return false
}

// firstLine is that which says something, after the title.
func firstLine(text string) string {
	i := slices.Index([]byte(text), '\n')
	return headOf(text[i+1:])
}
