package machinecmd

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/machine/noise"
	"dyno.example/internal/i18n"
)

func newNoise(global *cli.Global) *cobra.Command {
	var quick, asJSON bool
	cmd := &cobra.Command{
		Use:   "noise",
		Short: "Measure how small a difference can be seen on this machine",
		Long: `Measure how steady this machine is: what it takes from a thread that spins on
each CPU, how late it wakes one up, how much a loopback exchange varies, and by how
much a fixed subject, a server that costs nothing, differs from run to run and from
start to start. From that follows the smallest difference that a study of so many
blocks can see here. A subject with noise of its own needs more.`,
		Args: cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan := noise.Full()
			if quick {
				plan = noise.Quick()
			}
			return measureNoise(cmd.Context(), global, plan, asJSON)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "take half a minute instead of two")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func measureNoise(ctx context.Context, global *cli.Global, plan noise.Plan, asJSON bool) error {
	say := func(what i18n.Message) {
		if !global.Quiet {
			global.Err().Print(i18n.New("machinecmd.measuring", "measuring: %s", what))
		}
	}
	say(i18n.New("machinecmd.duration-estimate", "about %v; leave the machine alone meanwhile", plan.Estimate().Round(time.Second)))
	r, err := noise.Measure(ctx, plan, say)
	if err != nil {
		return i18n.Errorf("machinecmd.noise", "noise: %w", err)
	}
	if asJSON {
		return cli.WriteJSON(os.Stdout, r)
	}
	noise.Describe(os.Stdout, r, global.Texts().Say)
	return nil
}
