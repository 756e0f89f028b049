//go:build linux

package rounds

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// Program is a command that answers questions by campaigns.
type Program struct {
	Folder  string // of its source, from the repository's root; its records are below
	Usual   string // campaigns that it runs unless told
	Planned string // what it does for -plan
	First   string // tools whose names begin so are what is measured
	// Flags, if set, adds flags of its own.
	Flags     func(flags *flag.FlagSet)
	Campaigns []Campaign
	Lab       *Lab
	// Prepare makes what the campaigns need in addition to what the lab has. It isn't called to
	// show a record, nor to plan, unless plans are measured.
	Prepare       func(ctx context.Context) error
	PlansMeasured bool
	// Finished, if set, is called with the record of each campaign that came to its end.
	Finished func(c *Campaign, r *Record) error

	Options
}

// Parse takes the command line.
func (p *Program) Parse(args []string) {
	flags := flag.NewFlagSet(filepath.Base(p.Folder), flag.ExitOnError)
	p.Register(flags, p.Usual, p.Folder+"/results", p.Planned, p.Campaigns)
	if p.Flags != nil {
		p.Flags(flags)
	}
	flags.Parse(args)
	p.Lab.Options = &p.Options
}

// Main does what a command line asks for, until it is told to end.
func (p *Program) Main(args []string) error {
	p.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return p.Run(ctx)
}

// Run shows a record or carries the chosen campaigns out, as the command line has it.
func (p *Program) Run(ctx context.Context) error {
	if p.Show != "" {
		return p.ShowFile(os.Stdout, p.First, p.Campaigns)
	}
	chosen, err := p.Choose(p.Campaigns)
	if err != nil {
		return err
	}
	if p.Rounds < 1 || p.Seconds < 0 || p.Slice <= 0 {
		return errors.New("-rounds must be at least 1, -seconds not negative, -slice more than nothing")
	}
	if !p.Plan || p.PlansMeasured {
		done, err := p.Lab.open(ctx, p.Prepare)
		if err != nil {
			return err
		}
		defer done()
	}
	var all time.Duration
	for _, i := range chosen {
		c := &p.Campaigns[i]
		takes, err := p.finish(ctx, c)
		if ctx.Err() != nil {
			return p.Interrupted()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		all += takes
	}
	if p.Plan {
		fmt.Printf("\nall together about %v, and some minutes for builds the first time\n", all.Round(time.Second))
	}
	return nil
}

// finish carries a campaign out, or goes on with one that was interrupted, and shows what
// came of it.
func (p *Program) finish(ctx context.Context, c *Campaign) (time.Duration, error) {
	r, err := c.open(&p.Options, commandLine(p.Folder, os.Args[1:]))
	if err != nil {
		return 0, err
	}
	takes, err := c.carry(ctx, r, p.Plan)
	if err != nil || p.Plan {
		return takes, err
	}
	c.summary(p.First).Show(os.Stdout, r, p.Disturbed)
	if p.Finished != nil {
		err = p.Finished(c, r)
	}
	return takes, err
}
