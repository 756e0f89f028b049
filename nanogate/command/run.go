//go:build linux

package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"dyno.example/nano/wire/handoff"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/state"
)

// runFlags are those of nanogate run.
type runFlags struct {
	listen, to, admin, keep string

	file     fileArgument
	loops    int
	level    slog.LevelVar
	embedded embeddedFlags
	from     publishedFlags
}

func newRun(prog *program) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [FILE]",
		Short: "Serve a configuration, or one address",
		Long: `Serves a configuration file, or sends everything to one address.

SIGHUP reads the file again: only what changed is rebuilt, and no connection is closed.
A file with errors changes nothing. SIGHUP and SIGUSR1 reopen the access log after it was
rotated. SIGUSR2 starts the program again from its file, hands it the listening sockets,
and exits when the new process serves: no connection is refused meanwhile. SIGTERM and
SIGINT let requests in flight finish, for client.drain at most, and close the rest.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := f.file.name(args)
			if err != nil {
				return err
			}
			return f.run(cmd, prog, file)
		},
	}
	f.add(cmd, prog)
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command, prog *program) {
	flags := cmd.Flags()
	f.file.add(cmd)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "`address` to listen on, if there is no file")
	flags.StringVar(&f.to, "to", "", "`URL` that everything is sent to, if there is no file: http://host:port or unix:/path")
	flags.StringVar(&f.admin, "admin", "", "`address` of the admin interface, host:port or unix:/path, instead of the file's")
	flags.StringVar(&f.keep, "state", "", "`directory` for what etcd, Consul and Kubernetes reported last, so that a start works while they are away, and, if it is named here or by $STATE_DIRECTORY, for compiled plug-ins; none: keep nothing (default $STATE_DIRECTORY, or nanogate in the state directory of the user)")
	f.embedded.add(cmd)
	f.from.add(cmd)
	if prog.options.Log == nil {
		flags.TextVar(&f.level, "log-level", &f.level, "the lowest `level` that is logged: DEBUG, INFO, WARN or ERROR")
	}
	flags.IntVar(&f.loops, "loops", prog.options.Loops, "`number` of event loops; 0: one for each CPU")
	completeAdmin(cmd)
}

// run serves the file, or what the flags say.
func (f *runFlags) run(cmd *cobra.Command, prog *program, file string) error {
	log := prog.options.Log
	if log == nil {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: &f.level}))
	}
	stop, err := f.embedded.start(log)
	if err != nil {
		return err
	}
	defer stop()
	found := discovery.NewSet(discovery.Options{State: state.Open(stateDir(f.keep)), Log: log})
	source, err := f.source(found, file)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(cmd.Context())
	defer end()
	followed, first, err := begin(ctx, source, file, log, func() (*config.Config, error) { return ownConfig(f.listen, f.to, prog.config) })
	if problems := (config.Problems)(nil); errors.As(err, &problems) {
		fmt.Fprintln(cmd.ErrOrStderr(), problems)
		return mistakes(file, len(problems))
	}
	if err != nil || first.config == nil {
		return err
	}
	o := prog.options
	o.Log, o.Found = log, found
	if err := f.apply(first.config, &o); err != nil {
		return err
	}
	return run(ctx, first, o, followed)
}

// source is where the configuration is published; nil if it is a file or what flags say.
func (f *runFlags) source(found *discovery.Set, file string) (discovery.Configuration, error) {
	source, err := f.from.source(found)
	switch {
	case err != nil:
		return nil, err
	case source != nil && file+f.to != "":
		return nil, usageError{errors.New("--config-etcd goes with neither a file nor --to")}
	case file != "" && f.to != "":
		return nil, usageError{errors.New("a file and --to don't go together")}
	}
	return source, nil
}

// apply puts what flags say in the place of what the configuration and the program say.
func (f *runFlags) apply(c *config.Config, o *gateway.Options) error {
	if f.loops < 0 || f.loops > 1024 {
		return usageError{fmt.Errorf("--loops: expected 0 to 1024, got %d", f.loops)}
	}
	if f.admin != "" {
		if err := config.CheckAdmin(f.admin); err != nil {
			return usageError{fmt.Errorf("--admin: %w", err)}
		}
		c.Admin.Address = f.admin
	}
	o.Loops, o.State = f.loops, stateDir(f.keep)
	if dir := givenStateDir(f.keep); dir != "" {
		o.Codes = filepath.Join(dir, "plugins")
	}
	return nil
}

// begin finds what is served first, and begins to follow where it stands: in source, or
// else in the file, or else own says what it is.
func begin(ctx context.Context, source discovery.Configuration, file string, log *slog.Logger, own func() (*config.Config, error)) (*followed, offer, error) {
	var f *followed
	switch {
	case source != nil:
		f = follow(ctx, source.Follow)
	case file != "":
		f = followFile(ctx, discovery.NewFile(file, log), false)
	default:
		c, err := own()
		f = &followed{} // nothing more comes
		if err == nil && c.Path != "" {
			f = followFile(ctx, discovery.NewFile(c.Path, log), true)
		}
		return f, offer{config: c, served: make(chan error, 1)}, err
	}
	first, err := f.first(ctx)
	return f, first, err
}

// ownConfig is the configuration that the flags describe, or else the program's own.
func ownConfig(listen, to string, own *config.Config) (*config.Config, error) {
	switch {
	case to == "" && own != nil:
		c := *own // flags change what is said at its top
		return &c, nil
	case to == "":
		return nil, usageError{errors.New("nothing to serve: name a configuration file, or use --to http://127.0.0.1:9000")}
	}
	c, err := config.Simple(listen, to)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// run serves until ctx ends: first that, and then what f offers.
func run(ctx context.Context, first offer, o gateway.Options, f *followed) error {
	c, log := first.config, o.Log
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP, syscall.SIGUSR1) // before others can see that it is up
	defer signal.Stop(reload)
	signal.Ignore(syscall.SIGPIPE) // the reader of an access log in a pipe may exit
	renew := make(chan os.Signal, 1)
	signal.Notify(renew, syscall.SIGUSR2)
	defer signal.Stop(renew)
	g, err := gateway.Start(c, o)
	if problems := (config.Problems)(nil); errors.As(err, &problems) {
		return configError{err}
	}
	if err != nil {
		return err
	}
	for _, at := range g.Addresses() {
		log.Info("listening", "address", at.String())
	}
	var held handoff.Listeners // but for the gateway's own
	handedOver := false
	if c.Admin.Address != "" {
		stop, err := serveAdmin(g, c.Admin, &held, log)
		if err != nil {
			end, cancel := context.WithCancel(context.Background())
			cancel()
			_ = g.Shutdown(end)
			return err
		}
		defer func() {
			if !handedOver { // a unix socket's file is the new process' now
				stop()
			}
		}()
	}
	first.served <- nil
	handoff.Settle()
	_, _ = handoff.Notify("READY=1") // without systemd there is no one to notify
	for !handedOver && ctx.Err() == nil {
		select {
		case s := <-reload:
			g.Reopen()
			if s == syscall.SIGHUP {
				f.again(log)
			}
		case next := <-f.offers:
			next.next(g, log)
		case <-renew:
			handedOver = handOver(ctx, g, &held, log)
		case <-ctx.Done():
		}
	}
	return drain(g, log)
}

// handOver reports whether a process that the program's file was started as serves now.
func handOver(ctx context.Context, g *gateway.Gateway, held *handoff.Listeners, log *slog.Logger) bool {
	pid, err := upgrade(ctx, g, held)
	if err != nil {
		log.Error("upgrade failed; this process keeps serving", "error", err)
		return false
	}
	log.Info("another process has taken over", "pid", pid)
	return true
}

// drain lets requests in flight finish, for as long as the configuration says.
func drain(g *gateway.Gateway, log *slog.Logger) error {
	most := g.Snapshot().Config.Client.Drain
	log.Info("draining", "at most", most)
	end, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	if err := g.Shutdown(end); err != nil {
		return fmt.Errorf("some requests were cut off: %w", err)
	}
	return nil
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("expected no arguments, got %q", args)}
	}
	return nil
}
