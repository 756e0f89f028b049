//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// failingCases are services that fail whoever asks: searches, sweeps and experiments
// must not take that for a lack of capacity, of time or of recovery.
func failingCases() []Case {
	return []Case{
		{"failing/capacity", "15 % of the responses are a 500, at every rate", failingCapacity},
		{"failing/knee", "every response is a 500", failingKnee},
		{"failing/knee-in-part", "a fifth of the responses is a 500", failingKneeInPart},
		{"failing/overload", "every response is a 500, before the overload too", failingOverload},
		{"failing/certificate", "the server's certificate is nobody's", failingCertificate},
	}
}

// found is what dyno capacity, knee and overload say, as far as it is asked about.
type found struct {
	asked
	Holds     *struct{ Rate float64 } `json:"holds"`
	Hints     []string                `json:"hints"`
	Broke     []any                   `json:"broke"`
	Enough    int                     `json:"enough"`
	Notes     []string                `json:"notes"`
	Recovered bool                    `json:"recovered"`
	Validity  string                  `json:"validity"`
}

// find runs one of these commands on a service with faults.
func (l *lab) find(ctx context.Context, e *Examined, f faults, args ...string) (r found, err error) {
	err = l.serve(f, func(s *service) error {
		r.asked, err = l.ask(ctx, e, nil, nil, append(args, "--json", "--no-calibration", s.url())...)
		if err != nil || strings.TrimSpace(r.stdout) == "" {
			return err
		}
		return json.Unmarshal([]byte(r.stdout), &r)
	})
	return r, err
}

// why notes the reason that was given. Where dyno says that it could measure nothing, as
// this machine was disturbed, that is no reason but silence.
func (r *found) why(e *Examined, about string, right bool, said, so string) {
	if !right && strings.EqualFold(r.Validity, "invalid") {
		e.silent(about, r.Validity+": "+said, so)
		return
	}
	e.say(about, right, said, so)
}

func failingCapacity(ctx context.Context, l *lab, e *Examined) error {
	r, err := l.find(ctx, e, faults{Fail: 0.15}, "capacity", "--objective", "errors<1%", "--trial", "1s", "--min-rate", "200", "--max-rate", "2000", "-c", "20")
	if err != nil {
		return err
	}
	e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
	e.say("holds", r.Holds == nil, fmt.Sprintf("%+v", r.Holds), "at no rate")
	text := strings.Join(r.Hints, "; ")
	e.say("why", !mentions(text, "saturated"), text, "15 % fail at every rate")
	return nil
}

func failingKnee(ctx context.Context, l *lab, e *Examined) error {
	r, err := l.find(ctx, e, faults{Fail: 1}, "knee", "-c", "1,2,4", "--trial", "500ms", "-w", "100ms")
	if err != nil {
		return err
	}
	e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
	e.say("knee", r.Enough == 0, fmt.Sprint(r.Enough), "there is none")
	r.why(e, "why", mentions(r.stderr, "500") && !mentions(r.stderr, "too short", "spoiled"), lastLines(r.stderr), "every response was a 500")
	return nil
}

func failingKneeInPart(ctx context.Context, l *lab, e *Examined) error {
	r, err := l.find(ctx, e, faults{Fail: 0.2}, "knee", "-c", "1,2,4", "--trial", "1s", "-w", "100ms")
	if err != nil {
		return err
	}
	text := strings.Join(r.Notes, "; ")
	r.why(e, "what failed", mentions(text, "20 %", "19 %", "21 %"), text, "20 %")
	return nil
}

func failingOverload(ctx context.Context, l *lab, e *Examined) error {
	r, err := l.find(ctx, e, faults{Fail: 1}, "overload", "--objective", "p99<100ms", "--capacity", "200", "--before", "3s", "--for", "2s", "--after", "3s", "-c", "20")
	if err != nil {
		return err
	}
	e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
	e.say("recovered", !r.Recovered, fmt.Sprint(r.Recovered), "there is nothing to recover to")
	r.why(e, "why", mentions(r.stderr, "before"), lastLines(r.stderr), "it failed before the overload too")
	return nil
}

func failingCertificate(ctx context.Context, l *lab, e *Examined) error {
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, goodBody) }))
	service.Config.ErrorLog = nil
	service.StartTLS()
	defer service.Close()
	for _, args := range [][]string{{"-d", "1s"}, {"-d", "3s"}, {"-R", "50", "-d", "1s"}} {
		r, err := l.load(ctx, e, nil, nil, append(args, "-c", "2", service.URL)...)
		if err != nil {
			return err
		}
		e.say("exit status", r.code == 1, fmt.Sprint(r.code), "1")
		e.say("what can be done", mentions(r.stderr, "--cacert") && mentions(r.stderr, "-k"), lastLines(r.stderr), "--cacert FILE, or -k")
		noFigures(r, e)
	}
	return nil
}
