package machinecmd

import (
	"context"
	"errors"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/machine/setting"
	"dyno.example/dyno/machine/tune"
	"dyno.example/internal/i18n"
)

var errLinuxOnly = i18n.Errorf("machinecmd.set-needs-linux", "settings can be changed on Linux only")

func newTune(global *cli.Global) *cobra.Command {
	var profile string
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Set what can be set for measuring; restore puts it back",
		Long: `Set what can be set of this machine for measuring: with --profile quiet CPUs and
memory, with network what many connections need, with all both, and SMT is
switched off. Values that are good already are left alone.

Each old value is written to a journal in DYNO_HOME, and is on the disk, before
it is changed: dyno machine restore works after a crash too. Nothing outlives a
reboot.`,
		Args: cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := setting.ParseProfile(profile)
			if err != nil {
				return cli.UsageError(i18n.Errorf("machinecmd.profile", "--profile: %w", err))
			}
			return tuneMachine(cmd.Context(), global, p, dry, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&profile, "profile", string(setting.Quiet), "what for: quiet, network or all")
	flags.BoolVar(&dry, "dry-run", false, "print what would be set, and set nothing")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"quiet", "network", "all"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func tuneMachine(ctx context.Context, global *cli.Global, p setting.Profile, dry, asJSON bool) error {
	if runtime.GOOS != "linux" {
		return errLinuxOnly
	}
	dir, err := cli.Home()
	if err != nil {
		return err
	}
	t := tunerIn(dir)
	var done []tune.Done
	if dry {
		done = t.Plan(p)
	} else {
		done, err = t.Tune(ctx, p)
	}
	if asJSON {
		if printErr := cli.WriteJSON(os.Stdout, done); printErr != nil {
			return printErr
		}
	} else {
		tune.Describe(os.Stdout, done, dry, global.Texts().Say)
	}
	if refused := tune.Refused(done); err == nil && len(refused) > 0 && !dry {
		err = i18n.Errorf("machinecmd.set-failed", "could not be set: %s", i18n.Names(refused...))
	}
	return err
}

func newRestore(global *cli.Global) *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Put back every setting that tune has changed",
		Long: `Put back every setting that dyno machine tune has changed, the last one first,
also after tune was killed. A setting that somebody else has changed since is
left alone, unless --force is given. After a reboot there is nothing to put back;
restore then says what is otherwise than before all the same.`,
		Args: cli.NoArgs(),
		RunE: func(*cobra.Command, []string) error { return restoreMachine(global, force, asJSON) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "also put back what somebody else has changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func restoreMachine(global *cli.Global, force, asJSON bool) error {
	if runtime.GOOS != "linux" {
		return errLinuxOnly
	}
	dir, err := cli.Home()
	if err != nil {
		return err
	}
	undone, err := tunerIn(dir).Restore(force)
	if asJSON {
		if printErr := cli.WriteJSON(os.Stdout, undone); printErr != nil {
			return printErr
		}
	} else if err == nil || len(undone) > 0 {
		tune.DescribeRestored(os.Stdout, undone, global.Texts().Say)
	}
	return errors.Join(err, tune.Incomplete(undone))
}
