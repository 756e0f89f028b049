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
	"dyno.example/internal/i18n"
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
		Args:    cli.NoArgs(),
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
	Busy     *busy.Survey        `json:"busy,omitempty"`  // who is busy now; absent where that is unknown
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
	out := global.Out()
	if err := machine.Describe(out.To, r.Machine, out.Say); err != nil {
		return err
	}
	if r.Settings == nil {
		fmt.Fprintln(out.To)
		out.Print(i18n.New("machinecmd.read-needs-linux", "Settings can be read on Linux only."))
		return nil
	}
	fmt.Fprintln(out.To)
	busy.Describe(out.To, r.Busy, unknown, out.Say)
	if err := setting.Describe(out.To, r.Settings, out.Say); err != nil {
		return err
	}
	if len(r.Tuned) > 0 {
		out.Print(i18n.New("machinecmd.restore-hint", "dyno has set %d of their files; dyno machine restore puts them back.", len(r.Tuned)))
	}
	return nil
}

func tunerIn(home string) *tune.Tuner { return &tune.Tuner{Root: "/", Home: home} }
