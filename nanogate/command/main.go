//go:build linux

// Package command is nanogate's command line: run, check, top and all the others, with
// their flags, signals and exit codes. nanogate/cmd/nanogate is this package with all of
// nanogate/with; a program that compiles middleware in has all of it by [Main] too.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"dyno.example/internal/build"
	"dyno.example/internal/visible"
	"dyno.example/nanogate"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/serve"
)

// Main does what the program's arguments say, and ends the program. It is all of the main
// function of a program that is nanogate with the middleware of g, which run serves with
// and check knows.
//
// What g is set to otherwise is for where the arguments say nothing: its loops are those
// without --loops. If it has a log of its own there is no --log-level.
func Main(g *nanogate.Gateway) { MainWith(g, nil) }

// MainWith is [Main] for a program that brings a configuration: run serves it without -c,
// --to and --config-etcd.
func MainWith(g *nanogate.Gateway, c *serve.Config) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	p := programOf(g, c, os.Args[0])
	err := p.root().ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(visible.Writer{To: os.Stderr}, "%s: %v\n", p.name, err)
	}
	os.Exit(exitCode(err))
}

// program is what the commands of a program have in common.
type program struct {
	name    string          // as it is called
	config  *config.Config  // that it brings; nil: none
	options gateway.Options // that its gateway starts with, but for what flags say
}

func programOf(g *nanogate.Gateway, c *config.Config, path string) *program {
	offers, log, loops := g.Setup()
	return &program{filepath.Base(path), c, gateway.Options{Loops: loops, Log: log, Middleware: offers}}
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

// long is what the program says of itself; NAME is what it is called.
const long = `NAME accepts requests and forwards them as a configuration file says.

  NAME run --listen 127.0.0.1:8080 --to http://127.0.0.1:9000
  NAME run -c nanogate.yaml
  NAME check nanogate.yaml    is the file valid?
  NAME routes nanogate.yaml   the routes in the order they are tried
  NAME route -c nanogate.yaml GET https://host/path    which route takes this?
  NAME top                    live traffic
  NAME diff nanogate.yaml     what would change in a running gateway?
  NAME apply nanogate.yaml    change it; NAME rollback undoes it
  NAME mirrors                what mirroring found
  NAME canaries               canaries; resume one, or roll one back
  NAME register --prefix /services/users/ 127.0.0.1:9001    an instance, in etcd
  NAME version                what it was built from`

// root makes the command that has all others.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           p.name,
		Short:         "A gateway for HTTP services",
		Long:          strings.ReplaceAll(long, "NAME", p.name),
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       build.Read().String(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q; see %s --help", args[0], cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.SetOut(visible.Writer{To: os.Stdout})
	root.SetErr(visible.Writer{To: os.Stderr})
	root.AddCommand(newRun(p), newCheck(p), newRoutes(), newRoute(), newExplain(p), newTop(), newDiff(), newApply(), newRollback(), newMirrors(), newCanaries(), newRegister(), newVersion(p))
	return root
}
