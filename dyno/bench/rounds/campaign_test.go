//go:build linux

package rounds

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCarry interrupts a campaign and goes on with it.
func TestCarry(t *testing.T) {
	left, enough := 4, errors.New("enough")
	arm := func(level string, rounds int, tools ...string) Arm {
		return Arm{Tools: tools, Level: level, Rounds: rounds, Takes: time.Second, Measure: func(_ context.Context, round int) (trials []Trial, err error) {
			if left--; left < 0 {
				return nil, enough
			}
			for _, tool := range tools {
				trials = append(trials, Trial{Tool: tool, Level: level, Says: []string{fmt.Sprint(round)}})
			}
			return trials, nil
		}}
	}
	arms := []Arm{arm("", 0, "a"), arm("x", 0, "b", "c"), arm("", 1, "d")}
	c := &Campaign{Arms: func(context.Context, *Record) ([]Arm, error) { return arms, nil }}
	r := &Record{Version: RecordVersion, Settings: Settings{Rounds: 3, Seed: 1}, Path: filepath.Join(t.TempDir(), "r.json")}
	all := r.Pending(arms)
	if len(all) != 3+3+1 {
		t.Fatalf("%d turns", len(all))
	}
	if takes, err := c.carry(t.Context(), r, true); err != nil || takes != 7*time.Second || len(r.Trials) > 0 {
		t.Fatalf("a plan takes %v, has %d trials, %v", takes, len(r.Trials), err)
	}
	if _, err := c.carry(t.Context(), r, false); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	r, err := Open(r)
	if err != nil || len(r.Trials) < 4 {
		t.Fatalf("%d trials, %v", len(r.Trials), err)
	}
	if rest := r.Pending(arms); !slices.Equal(rest, all[4:]) {
		t.Errorf("left are %v, want %v", rest, all[4:])
	}
	left = len(all) - 4
	if _, err := c.carry(t.Context(), r, false); err != nil || len(r.Pending(arms)) != 0 || len(r.Trials) != 3+2*3+1 {
		t.Errorf("%v; %+v", err, r.Trials)
	}
	for _, one := range r.Trials {
		if one.Says[0] != fmt.Sprint(one.Round) {
			t.Errorf("a trial of round %s is in round %d", one.Says[0], one.Round)
		}
	}
}

// A record is gone on with under the same settings only, of which slices are one where
// servers take turns.
func TestOpenRefusesOtherSettings(t *testing.T) {
	o := &Options{Out: t.TempDir(), Name: "x", Rounds: 7, Seed: 1, Slice: time.Second}
	for _, c := range []*Campaign{{Name: "whole", Seconds: 4}, {Name: "sliced", Sliced: true}} {
		r, err := c.open(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Trials = []Trial{{Tool: "wrk"}}
		if err := r.Save(); err != nil {
			t.Fatal(err)
		}
		if again, err := c.open(o, nil); err != nil || !again.Has(0, "wrk", "") {
			t.Errorf("%s: not continued: %v", c.Name, err)
		}
		other := *o
		other.Slice = time.Millisecond
		if _, err := c.open(&other, nil); (err != nil) != c.Sliced {
			t.Errorf("%s, other slices: %v", c.Name, err)
		}
		other.Rounds = 8
		if _, err := c.open(&other, nil); err == nil || !strings.Contains(err.Error(), "another -name") {
			t.Errorf("%s, other settings: %v", c.Name, err)
		}
	}
}

func TestProgram(t *testing.T) {
	began, finished := 0, 0
	measured := func(context.Context, int) ([]Trial, error) { return []Trial{{Tool: "a"}}, nil }
	p := &Program{
		Folder: "nowhere/bench", Usual: "cost",
		Flags: func(flags *flag.FlagSet) { flags.IntVar(&began, "began", 0, "") },
		Lab:   &Lab{Dyno: "/bin/true"}, Prepare: func(context.Context) error { began++; return nil },
		Campaigns: []Campaign{{Name: "cost", Arms: func(context.Context, *Record) ([]Arm, error) {
			return []Arm{{Tools: []string{"a"}, Measure: measured}}, nil
		}}},
		Finished: func(_ *Campaign, r *Record) error { finished += len(r.Trials); return nil },
	}
	out := t.TempDir()
	p.Parse([]string{"-began", "3", "-rounds", "2", "-out", out, "-name", "n"})
	if err := p.Run(t.Context()); err != nil || began != 4 || finished != 2 {
		t.Errorf("began %d, finished %d, %v", began, finished, err)
	}
	p.Parse([]string{"-show", filepath.Join(out, "n-cost.json")})
	if err := p.Run(t.Context()); err != nil || began != 0 {
		t.Errorf("to show a record: %v", err)
	}
	for _, wrong := range [][]string{{"-rounds", "0"}, {"-slice", "0"}, {"-seconds", "-1"}, {"-what", "nothing"}} {
		p.Show = ""
		p.Parse(append([]string{"-show", "", "-out", out}, wrong...))
		if err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), wrong[0]) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for given, want := range map[string]string{
		"-what builds -rounds 9":        "-what builds -rounds 9",
		"-other /home/me/old/nanogate":  "-other nanogate",
		"-other=/home/me/old/nanogate":  "-other=nanogate",
		"-other ./old -name 2026-11-30": "-other ./old -name 2026-11-30",
	} {
		if got := strings.Join(commandLine("x/bench", strings.Fields(given)), " "); got != "go run ./x/bench "+want {
			t.Errorf("%s: %s", given, got)
		}
	}
}

func TestBuiltFrom(t *testing.T) {
	if got := BuiltFrom(filepath.Join(t.TempDir(), "none")); got != "unknown" {
		t.Error(got)
	}
}
