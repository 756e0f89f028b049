package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/lab/machine/setting"
	"dyno/lab/machine/tune"
)

var errLinuxOnly = errors.New("settings can be changed on Linux only")

func newTune() *cobra.Command {
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
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := setting.ParseProfile(profile)
			if err != nil {
				return usageError(fmt.Errorf("--profile: %w", err))
			}
			return tuneMachine(cmd.Context(), os.Stdout, p, dry, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&profile, "profile", string(setting.Quiet), "what for: quiet, network or all")
	flags.BoolVar(&dry, "dry-run", false, "print what would be set, and set nothing")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"quiet", "network", "all"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func tuneMachine(ctx context.Context, w io.Writer, p setting.Profile, dry, asJSON bool) error {
	if runtime.GOOS != "linux" {
		return errLinuxOnly
	}
	dir, err := home()
	if err != nil {
		return err
	}
	t := tunerIn(dir)
	var done []tune.Done
	verb := "would be set"
	if dry {
		done = t.Plan(p)
	} else {
		done, err = t.Tune(ctx, p)
		verb = "set"
	}
	if asJSON {
		if printErr := printJSON(w, done); printErr != nil {
			return printErr
		}
	} else {
		writeTuned(w, done, verb)
	}
	if refused := refusedSettings(done); err == nil && len(refused) > 0 && !dry {
		err = fmt.Errorf("could not be set: %s", strings.Join(refused, ", "))
	}
	return err
}

// writeTuned prints what became of each change.
func writeTuned(w io.Writer, done []tune.Done, verb string) {
	if len(done) == 0 {
		fmt.Fprintln(w, "nothing to set: what this profile sets is good already, or can't be seen")
		return
	}
	made := 0
	for _, alike := range alikes(done, func(d tune.Done) any { return [4]string{d.Setting, d.Old, d.New, d.Why} }) {
		d := alike[0]
		fmt.Fprintf(w, "  %-22s %s -> %s   /%s%s\n", d.Setting, d.Old, d.New, d.Path, andMore(len(alike)))
		if d.Why != "" {
			fmt.Fprintf(w, "  %-22s not %s: %s\n", "", verb, d.Why)
		} else {
			made += len(alike)
		}
	}
	fmt.Fprintf(w, "%d of %d %s", made, len(done), verb)
	if verb == "set" && made > 0 {
		fmt.Fprint(w, "; dyno machine restore puts back what was before")
	}
	fmt.Fprintln(w)
}

// alikes puts neighbours with the same key together, such as those of all CPUs.
func alikes[T any](all []T, key func(T) any) (groups [][]T) {
	for i := range all {
		if last := len(groups) - 1; last >= 0 && key(groups[last][0]) == key(all[i]) {
			groups[last] = append(groups[last], all[i])
			continue
		}
		groups = append(groups, all[i:i+1:i+1])
	}
	return groups
}

// andMore follows the first of n files.
func andMore(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-1)
}

// refusedSettings names the settings that could not be set, each once.
func refusedSettings(done []tune.Done) (names []string) {
	for _, d := range done {
		if d.Why != "" && !slices.Contains(names, d.Setting) {
			names = append(names, d.Setting)
		}
	}
	return names
}

func newRestore() *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Put back every setting that tune has changed",
		Long: `Put back every setting that dyno machine tune has changed, the last one first,
also after tune was killed. A setting that somebody else has changed since is
left alone, unless --force is given. After a reboot there is nothing to put back;
restore then says what is otherwise than before all the same.`,
		Args: exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error { return restoreMachine(os.Stdout, force, asJSON) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "also put back what somebody else has changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func restoreMachine(w io.Writer, force, asJSON bool) error {
	if runtime.GOOS != "linux" {
		return errLinuxOnly
	}
	dir, err := home()
	if err != nil {
		return err
	}
	undone, err := tunerIn(dir).Restore(force)
	if asJSON {
		if printErr := printJSON(w, undone); printErr != nil {
			return printErr
		}
	} else if err == nil || len(undone) > 0 {
		writeRestored(w, undone)
	}
	return errors.Join(err, tune.Incomplete(undone))
}

// writeRestored prints what became of each setting.
func writeRestored(w io.Writer, undone []tune.Undone) {
	if len(undone) == 0 {
		fmt.Fprintln(w, "nothing to restore: dyno has set nothing here")
	}
	for _, alike := range alikes(undone, func(u tune.Undone) any { return [5]string{u.Setting, u.Old, string(u.Outcome), u.Now, u.Why} }) {
		u := alike[0]
		fmt.Fprintf(w, "  %-22s %-10s %s   /%s%s\n", u.Setting, u.Outcome, u.Old, u.Path, andMore(len(alike)))
		switch {
		case u.Why != "":
			fmt.Fprintf(w, "  %-22s %s\n", "", u.Why)
		case u.Outcome == tune.Rebooted && u.Now != "":
			fmt.Fprintf(w, "  %-22s it is %s since the machine was booted: something else sets it\n", "", u.Now)
		}
	}
}
