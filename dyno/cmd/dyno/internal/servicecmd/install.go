package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/service"
	"dyno.example/internal/i18n"
)

// mostNamed is how many services can be named, more than there are.
const mostNamed = 100

func newInstall(global *cli.Global) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "install NAME…",
		Short: "Show the command that installs what services lack, and run it with --yes",
		Long: `Shows the distribution's command that installs what services lack on this machine, and
what dyno builds for them. On Debian and what derives from it, such as Ubuntu, --yes runs
the command, which takes root; elsewhere it says what is needed and where it is had. With
--yes what is built is built too: otherwise the first study that needs it does that.`,
		Example: "  dyno services install postgres\n  sudo dyno services install kafka --yes",
		Args:    cli.ArgsBetween(1, mostNamed, i18n.New("servicecmd.name-arg", "a name of a service")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return install(cmd.Context(), global, args, yes)
		},
		ValidArgsFunction: completeKinds,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "run the command")
	return cmd
}

func install(ctx context.Context, global *cli.Global, names []string, yes bool) error {
	kinds, err := kindsOf(names)
	if err != nil {
		return err
	}
	packages := lacking(kinds)
	if len(packages) > 0 {
		words := append([]string{"apt-get", "install", "--yes", "--no-install-recommends"}, packages...)
		fmt.Println(shell.Join(words))
		if yes {
			if err := errors.Join(run(ctx, "apt-get", "update", "--quiet"), run(ctx, words...)); err != nil {
				return err
			}
		}
	}
	if !yes {
		if len(packages) == 0 {
			global.Out().Print(i18n.New("servicecmd.nothing-is-missing", "no package is missing; --yes builds what dyno builds for it"))
		}
		return nil
	}
	host, err := newHost(global)
	if err != nil {
		return err
	}
	for i := range kinds {
		if len(kinds[i].Lacks()) > 0 {
			return service.Missing(kinds[i].Name)
		}
		if err := kinds[i].Build(ctx, host); err != nil {
			return err
		}
	}
	return nil
}

// lacking are the distribution's packages that are missing. What it has no package for is
// said.
func lacking(kinds []service.Kind) (packages []string) {
	_, err := exec.LookPath("apt-get")
	for i := range kinds {
		for _, need := range kinds[i].Lacks() {
			if err == nil && len(need.Debian) > 0 {
				packages = append(packages, need.Debian...)
				continue
			}
			fmt.Printf("%s: %s\n", need.Command, need.Install)
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// run executes a command of the distribution, which asks nothing.
func run(ctx context.Context, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if err := cmd.Run(); err != nil {
		return i18n.Errorf("servicecmd.takes-root", "%s: %w (it takes root)", strings.Join(words[:2], " "), err)
	}
	return nil
}
