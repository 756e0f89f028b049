//go:build linux

// Command nanogate is a gateway for HTTP services.
//
//	nanogate run --listen 127.0.0.1:8080 --to http://127.0.0.1:9000
//	nanogate run -c nanogate.yaml
//	nanogate check nanogate.yaml
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	err := newRoot().ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nanogate:", err)
	}
	os.Exit(exitCode(err))
}

// Exit codes: 1 is a failure at work, 2 wrong usage, 3 a configuration that is wrong.
const (
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 3
)

// usageError is wrong usage of the command line.
type usageError struct{ error }

// configError is a configuration that is wrong; what is wrong with it has been printed.
type configError struct{ error }

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(configError)):
		return exitConfig
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "nanogate",
		Short: "A gateway for HTTP services",
		Long: `nanogate takes requests and sends them on to where a file says.

  nanogate run --listen 127.0.0.1:8080 --to http://127.0.0.1:9000
  nanogate run -c nanogate.yaml
  nanogate check nanogate.yaml    what is wrong with the file?
  nanogate routes -c nanogate.yaml
  nanogate top                    what passes through, live
  nanogate diff nanogate.yaml     what would a running gateway change?
  nanogate apply nanogate.yaml    it does; nanogate rollback undoes it
  nanogate mirrors                what mirrored requests found
  nanogate canaries               how canaries fare; resume one, or roll one back
  nanogate register --prefix /services/users/ 127.0.0.1:9001    an instance, in etcd`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q; see nanogate --help", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newRun(), newCheck(), newRoutes(), newTop(), newDiff(), newApply(), newRollback(), newMirrors(), newCanaries(), newRegister())
	return root
}
