package machinecmd

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/machine/setting"
	"dyno.example/dyno/machine/tune"
)

func NewMachine(global *cli.Global) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Show what this machine is, and what speaks against measuring on it",
		Long: `Show every setting of this machine that matters for measuring, whether it is
good for that and why, and what can't be seen; and, after a look of 0.3 s, how busy
each CPU is, and who is busy. dyno/docs/machine.md explains each.

tune sets what can be set, restore puts all back, and noise measures how small a
difference can be seen here.`,
		Example: "  dyno machine\n  sudo dyno machine tune --profile quiet\n  sudo dyno machine restore\n  dyno machine noise --quick",
		Args:    cli.ExactArgs(0, "none"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return showMachine(cmd.Context(), global, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newTune(global), newRestore(global), newNoise(global))
	return cmd
}

// machineReport is what dyno machine --json prints.
type machineReport struct {
	Machine  machine.Fingerprint `json:"machine"`
	Settings []setting.Row       `json:"settings"`
	Tuned    []setting.Change    `json:"tuned,omitempty"` // by dyno, and not yet restored
	Busy     *busy.Survey        `json:"busy,omitempty"`  // who is busy now; absent where that can't be told
}

func showMachine(ctx context.Context, global *cli.Global, asJSON bool) error {
	dir, err := cli.Home()
	if err != nil {
		return err
	}
	r := machineReport{Machine: machine.Read()}
	if r.Busy, err = busy.Look(ctx, machine.OnlineCPUs(), 0); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	unknown := err
	if runtime.GOOS == "linux" {
		r.Settings = setting.Survey(os.DirFS("/"), r.Machine)
	}
	if r.Tuned, err = tunerIn(dir).Pending(); err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(os.Stdout, r)
	}
	w := global.Texts().Columns(os.Stdout)
	if err := machine.Describe(w, r.Machine); err != nil {
		return err
	}
	if r.Settings == nil {
		_, err = fmt.Fprintln(w, "\nSettings can be read on Linux only.")
		return err
	}
	fmt.Fprintln(w)
	busy.Describe(w, r.Busy, unknown)
	if err := setting.Describe(w, r.Settings); err != nil {
		return err
	}
	if len(r.Tuned) > 0 {
		_, err = fmt.Fprintf(w, "dyno has set %d of their files; dyno machine restore puts them back.\n", len(r.Tuned))
	}
	return err
}

func tunerIn(home string) *tune.Tuner { return &tune.Tuner{Root: "/", Home: home} }
