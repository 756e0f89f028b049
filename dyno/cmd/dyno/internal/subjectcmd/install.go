package subjectcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/subject/check"
	"dyno.example/internal/i18n"
)

func newInstall(global *cli.Global, from *string) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "install LANGUAGE|NAME…",
		Short: "Show the command that installs what subjects lack, and run it with --yes",
		Long: `Shows the distribution's command that installs what subjects lack on this machine:
compilers, interpreters, servers. On Debian and what derives from it, such as Ubuntu,
--yes runs it, which takes root; elsewhere it says what is needed and where it is had.`,
		Example: "  dyno subjects install python ruby\n  sudo dyno subjects install haskell --yes",
		Args:    cli.ArgsBetween(1, maxNamed, i18n.New("subjectcmd.language-or-name", "a language or name of a subject")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return install(cmd.Context(), global, *from, args, yes)
		},
		ValidArgsFunction: cli.CompleteSubjects,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "run the command")
	return cmd
}

func install(ctx context.Context, global *cli.Global, from string, args []string, yes bool) error {
	b, err := newBench(global, from)
	if err != nil {
		return err
	}
	subjects, err := b.named(args)
	if err != nil {
		return err
	}
	items, err := b.plan(ctx, subjects)
	if err != nil {
		return err
	}
	tools := check.Tools(items)
	if len(tools) == 0 {
		global.Out().Print(i18n.New("subjectcmd.nothing-missing", "nothing is missing"))
		return nil
	}
	_, err = exec.LookPath("apt-get")
	debian := err == nil
	var packages []string
	for _, need := range tools {
		if debian && len(need.Debian) > 0 {
			packages = append(packages, need.Debian...)
			continue
		}
		fmt.Printf("%s: %s\n", need.Command, need.Install)
	}
	if len(packages) == 0 {
		return left(items, yes)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	words := append([]string{"apt-get", "install", "--yes", "--no-install-recommends"}, packages...)
	fmt.Println(shell.Join(words))
	if !yes {
		return nil
	}
	if err := run(ctx, os.Stderr, []string{"apt-get", "update", "--quiet"}); err != nil {
		return err
	}
	if err := run(ctx, os.Stderr, words); err != nil {
		return err
	}
	if items, err = b.plan(ctx, subjects); err != nil {
		return err
	}
	return left(items, yes)
}

// left says what is still missing, if something was to be installed.
func left(items []check.Item, yes bool) error {
	var errs []error
	for i := range items {
		for _, lack := range items[i].Lacks {
			errs = append(errs, lack)
		}
	}
	if !yes {
		return nil
	}
	return errors.Join(errs...)
}

// run executes a command of the distribution, which asks nothing.
func run(ctx context.Context, to io.Writer, words []string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = to, to
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if err := cmd.Run(); err != nil {
		return i18n.Errorf("subjectcmd.takes-root", "%s: %w (it takes root)", strings.Join(words[:2], " "), err)
	}
	return nil
}
