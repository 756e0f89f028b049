//go:build linux

package rounds

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options are the flags that all such programs have.
type Options struct {
	What, Name, Out         string
	Rounds, Seconds         int
	Seed                    uint64
	GeneratorCPU, ServerCPU int
	Show                    string
	Slice                   time.Duration
	Disturbed, Plan         bool
}

// Register adds the flags to those of a program: what is campaigns it runs unless
// told, out the folder of its records, and plan what it does for -plan.
func (o *Options) Register(flags *flag.FlagSet, what, out, plan string, campaigns []Campaign) {
	flags.StringVar(&o.What, "what", what, "campaigns to run, with commas between: all, or some of "+namesOf(campaigns))
	flags.StringVar(&o.Name, "name", time.Now().UTC().Format("20060102-150405"), "name of the records; one that exists is continued")
	flags.StringVar(&o.Out, "out", out, "folder for the records")
	flags.IntVar(&o.Rounds, "rounds", 7, "interleaved rounds")
	flags.IntVar(&o.Seconds, "seconds", 0, "length of each trial; 0 means what the campaign needs")
	flags.DurationVar(&o.Slice, "slice", 100*time.Millisecond, "how long a server's turn is where servers take turns within a trial")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the order of trials")
	flags.IntVar(&o.GeneratorCPU, "generator-cpu", 0, "CPU of the generators")
	flags.IntVar(&o.ServerCPU, "server-cpu", 1, "CPU of the servers")
	flags.StringVar(&o.Show, "show", "", "print the summary of a record, as Markdown, and measure nothing")
	flags.BoolVar(&o.Disturbed, "disturbed", false, "count disturbed trials too in summaries")
	flags.BoolVar(&o.Plan, "plan", false, "say what would be done and how long it takes, and "+plan)
}

func namesOf(campaigns []Campaign) string {
	names := make([]string, len(campaigns))
	for i := range campaigns {
		names[i] = campaigns[i].Name
	}
	return strings.Join(names, ", ")
}

// Choose returns the indices of the campaigns that -what names, in their order.
func (o *Options) Choose(campaigns []Campaign) (chosen []int, err error) {
	names := strings.Split(o.What, ",")
	for i := range campaigns {
		if o.What == "all" && !campaigns[i].Aside || slices.Contains(names, campaigns[i].Name) {
			chosen = append(chosen, i)
		}
	}
	for _, name := range names {
		known := func(c Campaign) bool { return c.Name == name }
		if o.What != "all" && !slices.ContainsFunc(campaigns, known) {
			return nil, fmt.Errorf("-what %q is none of all, %s", name, namesOf(campaigns))
		}
	}
	return chosen, nil
}

// ShowFile writes the summary of the record that -show names. Tools whose names begin with
// first come first.
func (o *Options) ShowFile(w io.Writer, first string, campaigns []Campaign) error {
	r, err := ReadRecord(o.Show)
	if err != nil {
		return err
	}
	for i := range campaigns {
		if campaigns[i].Name == r.What {
			campaigns[i].summary(first).Show(w, r, o.Disturbed)
			return nil
		}
	}
	return fmt.Errorf("%s is a record of %q, which this program does not know", o.Show, r.What)
}

// Path is the file of a campaign's record.
func (o *Options) Path(campaign string) string {
	return filepath.Join(o.Out, o.Name+"-"+campaign+".json")
}

// Length is that of a campaign's trials, in seconds, which is usual unless the
// flags say otherwise.
func (o *Options) Length(usual int) int {
	if o.Seconds > 0 {
		return o.Seconds
	}
	return usual
}

// Interrupted is the error of a campaign that was, and can be continued.
func (o *Options) Interrupted() error {
	return fmt.Errorf("interrupted: what was measured is kept; go on with the same flags and -name %s", o.Name)
}
