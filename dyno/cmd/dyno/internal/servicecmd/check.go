package servicecmd

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/present"
	"dyno.example/dyno/service"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

func newCheck(global *cli.Global) *cobra.Command {
	var ready, asJSON bool
	cmd := &cobra.Command{
		Use:   "check [NAME…]",
		Short: "Build services, start each, read its statistics, and stop it",
		Long: `Starts each service as a study would, PostgreSQL with a replica, and prints how long it
took until it was ready and until nothing of it was left. What is built for it is built
before, and kept.

The exit code is 0 if all of them are ok. What a machine lacks counts as failure, unless
--ready leaves such services out.`,
		Example: "  dyno services check postgres redis\n  dyno services check --ready",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), global, args, ready, asJSON)
		},
		ValidArgsFunction: completeKinds,
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "leave out services that lack a tool on this machine")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// result is what came out for one kind of service.
type result struct {
	Name    string        `json:"name"`
	Version string        `json:"version,omitempty"`
	StartUp time.Duration `json:"start_up_ns,omitempty"` // until it was ready
	Stop    time.Duration `json:"stop_ns,omitempty"`     // until nothing was left
	RSS     uint64        `json:"rss,omitempty"`         // bytes
	Figures int           `json:"figures"`               // of its own statistics
	Problem string        `json:"problem,omitempty"`
}

func check(ctx context.Context, global *cli.Global, names []string, ready, asJSON bool) error {
	kinds, err := kindsOf(names)
	if err != nil {
		return err
	}
	host, err := newHost(global)
	if err != nil {
		return err
	}
	if err := cli.Sweep(ctx, host.StateDir); err != nil {
		return err
	}
	var results []result
	failed := 0
	for i := range kinds {
		k := &kinds[i]
		if len(k.Lacks()) > 0 && ready {
			continue
		}
		r := result{Name: k.Name}
		if err := try(ctx, host, k, &r); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.Problem = err.Error()
			failed++
		}
		results = append(results, r)
	}
	if asJSON {
		err = cli.WriteJSON(os.Stdout, results)
	} else {
		err = show(results)
	}
	if err == nil && failed > 0 {
		err = i18n.Errorf("servicecmd.services-failed", "%d of %d services are not ok", failed, len(results))
	}
	return err
}

func show(results []result) error {
	table := [][]string{{"NAME", "VERSION", "READY", "GONE", "MEMORY", "PROBLEM"}}
	for _, r := range results {
		memory := ""
		if r.RSS > 0 {
			memory = present.Bytes(r.RSS)
		}
		table = append(table, []string{r.Name, r.Version, shown(r.StartUp), shown(r.Stop), memory, strings.ReplaceAll(r.Problem, "\n", " ")})
	}
	return cli.PrintTable(table, 5)
}

func shown(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(time.Millisecond).String()
}

// try runs a service through its life.
func try(ctx context.Context, host *service.Host, k *service.Kind, r *result) error {
	if lacks := k.Lacks(); len(lacks) > 0 {
		return service.Missing(k.Name)
	}
	if err := k.Build(ctx, host); err != nil {
		return err
	}
	def := study.DefaultService(k.Name)
	if k.Name == study.Postgres {
		def.Replica = &study.Replica{}
	}
	in, err := service.Start(ctx, host, def)
	if err != nil {
		return err
	}
	r.Version, r.StartUp = in.Version(), in.StartUp()
	r.RSS, r.Figures, err = in.Look()
	began := time.Now()
	err = errors.Join(err, in.Err(), in.Stop(context.WithoutCancel(ctx)))
	r.Stop = time.Since(began)
	return err
}
