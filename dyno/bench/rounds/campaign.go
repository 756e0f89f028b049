//go:build linux

package rounds

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/machine"
	"dyno.example/internal/build"
)

// Campaign answers one question by rounds of interleaved trials.
type Campaign struct {
	Name, Question string
	Seconds        int  // length of a trial's load unless -seconds says otherwise
	Connections    int  // of a load that doesn't say otherwise; 0: it has none
	Aside          bool // "all" leaves it out
	Sliced         bool // its arms are those of Lab.Sliced
	// Arms lists what is repeated, and notes in the record what is left out and whose
	// versions take part. It may measure first what levels depend on.
	Arms func(ctx context.Context, r *Record) ([]Arm, error)
	Show Summary
}

// Arm is what is repeated in every round: a tool under a load, or several that take turns
// under it and are measured together.
type Arm struct {
	Tools  []string
	Level  string
	Rounds int           // in which it takes part; 0 for all
	Takes  time.Duration // each time, about
	// Measure gives a trial for each tool. A load that fails gives failed trials, not an
	// error.
	Measure func(ctx context.Context, round int) ([]Trial, error)
}

// summary is how a record of the campaign is shown.
func (c *Campaign) summary(first string) *Summary {
	s := c.Show
	s.Name, s.Question, s.First = c.Name, c.Question, first
	return &s
}

// open starts a record, or reads the one of that name.
func (c *Campaign) open(o *Options, command []string) (*Record, error) {
	fresh := &Record{
		Version: RecordVersion, What: c.Name, Started: time.Now(), Command: command, Machine: machine.Read(),
		Versions: make(map[string]string), Path: o.Path(c.Name),
		Settings: Settings{Rounds: o.Rounds, Seconds: o.Length(c.Seconds), Connections: c.Connections, Seed: o.Seed},
	}
	if c.Sliced {
		fresh.Settings.SliceMS = o.Slice.Milliseconds()
	}
	return Open(fresh)
}

// carry measures what isn't in the record yet, or says what it would. It returns how long
// that takes, about.
func (c *Campaign) carry(ctx context.Context, r *Record, plan bool) (time.Duration, error) {
	arms, err := c.Arms(ctx, r)
	if err != nil {
		return 0, err
	}
	turns := r.Pending(arms)
	var takes time.Duration
	for _, t := range turns {
		takes += arms[t.Arm].Takes
	}
	fmt.Printf("\n%s: %s\n%d trials to go, about %v; the record is %s\n", c.Name, c.Question, len(turns), takes.Round(time.Second), r.Path)
	for _, why := range r.LeftOut {
		fmt.Println("left out:", why)
	}
	if plan {
		for _, a := range arms {
			fmt.Printf("    %-24s %s\n", a.Level, strings.Join(a.Tools, " / "))
		}
		return takes, nil
	}
	return takes, r.carry(ctx, arms, turns)
}

// Turn is one arm's turn in one round.
type Turn struct{ Round, Arm int }

// Pending lists the turns that are not in the record yet: round by round, each in an order
// of its own that follows from the seed.
func (r *Record) Pending(arms []Arm) (turns []Turn) {
	for round := range r.Settings.Rounds {
		random := rand.New(rand.NewPCG(r.Settings.Seed, uint64(round)))
		for _, arm := range random.Perm(len(arms)) {
			a := &arms[arm]
			missing := func(tool string) bool { return !r.Has(round, tool, a.Level) }
			if (a.Rounds == 0 || round < a.Rounds) && slices.ContainsFunc(a.Tools, missing) {
				turns = append(turns, Turn{round, arm})
			}
		}
	}
	return turns
}

// carry measures the turns one after the other, and saves the record after each.
func (r *Record) carry(ctx context.Context, arms []Arm, turns []Turn) error {
	for i, turn := range turns {
		trials, err := arms[turn.Arm].Measure(ctx, turn.Round)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, t := range trials {
			t.Round = turn.Round
			if !r.Has(t.Round, t.Tool, t.Level) {
				r.Trials = append(r.Trials, t)
			}
			fmt.Printf("%4d/%d  %s\n", i+1, len(turns), t.Line())
		}
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// OnServer has a load measure a server that is started for it, as t, and stops the server.
// That it ended by itself is a failure of the trial.
func OnServer(ctx context.Context, t Trial, start func(context.Context) (*Server, error), load func(ctx context.Context, s *Server, t *Trial) error) ([]Trial, error) {
	t.Started, t.Figures = time.Now(), make(map[string]float64)
	s, err := start(ctx)
	if err != nil {
		return nil, err
	}
	failed := errors.Join(load(ctx, s, &t), s.End())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failed != nil {
		t.Failed = Tail(failed.Error() + " " + s.Says())
	}
	return []Trial{t}, nil
}

// commandLine is how a program of this folder was called with arguments. Of files outside
// of it only the names are kept: where somebody has them tells nobody else anything.
func commandLine(folder string, args []string) []string {
	line := []string{"go", "run", "./" + folder}
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		switch {
		case filepath.IsAbs(arg):
			arg = filepath.Base(arg)
		case given && filepath.IsAbs(value):
			arg = name + "=" + filepath.Base(value)
		}
		line = append(line, arg)
	}
	return line
}

// BuiltFrom is the commit that a program's file was built from, for [Record.Versions].
func BuiltFrom(file string) string {
	info, err := build.ReadFile(file)
	if err != nil || info.Revision == "" {
		return "unknown"
	}
	return info.Revision
}
