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

func newRun(prog *program) *cobra.Command {
	var listen, to, adminAt, keep string
	var file fileArgument
	var loops int
	var level slog.LevelVar
	var own embeddedFlags
	var from publishedFlags
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
			file, err := file.name(args)
			if err != nil {
				return err
			}
			log := prog.options.Log
			if log == nil {
				log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: &level}))
			}
			stop, err := own.start(log)
			if err != nil {
				return err
			}
			defer stop()
			found := discovery.NewSet(discovery.Options{State: state.Open(stateDir(keep)), Log: log})
			source, err := from.source(found)
			switch {
			case err != nil:
			case source != nil && file+to != "":
				err = usageError{errors.New("--config-etcd goes with neither a file nor --to")}
			case file != "" && to != "":
				err = usageError{errors.New("a file and --to don't go together")}
			}
			if err != nil {
				return err
			}
			ctx, end := context.WithCancel(cmd.Context())
			defer end()
			f, first, err := begin(ctx, source, file, log, func() (*config.Config, error) { return ownConfig(listen, to, prog.config) })
			if problems := (config.Problems)(nil); errors.As(err, &problems) {
				fmt.Fprintln(cmd.ErrOrStderr(), problems)
				return mistakes(file, len(problems))
			}
			if err != nil || first.config == nil {
				return err
			}
			c := first.config
			if loops < 0 || loops > 1024 {
				return usageError{fmt.Errorf("--loops: expected 0 to 1024, got %d", loops)}
			}
			if adminAt != "" {
				if err := config.CheckAdmin(adminAt); err != nil {
					return usageError{fmt.Errorf("--admin: %w", err)}
				}
				c.Admin.Address = adminAt
			}
			o := prog.options
			o.Loops, o.Log, o.Found, o.State = loops, log, found, stateDir(keep)
			if dir := givenStateDir(keep); dir != "" {
				o.Codes = filepath.Join(dir, "plugins")
			}
			return run(ctx, first, o, f)
		},
	}
	flags := cmd.Flags()
	file.add(cmd)
	flags.StringVar(&listen, "listen", "127.0.0.1:8080", "`address` to listen on, if there is no file")
	flags.StringVar(&to, "to", "", "`URL` that everything is sent to, if there is no file: http://host:port or unix:/path")
	flags.StringVar(&adminAt, "admin", "", "`address` of the admin interface, host:port or unix:/path, instead of the file's")
	flags.StringVar(&keep, "state", "", "`directory` for what etcd, Consul and Kubernetes reported last, so that a start works while they are away, and, if it is named here or by $STATE_DIRECTORY, for compiled plug-ins; none: keep nothing (default $STATE_DIRECTORY, or nanogate in the state directory of the user)")
	own.add(cmd)
	from.add(cmd)
	if prog.options.Log == nil {
		flags.TextVar(&level, "log-level", &level, "the lowest `level` that is logged: DEBUG, INFO, WARN or ERROR")
	}
	flags.IntVar(&loops, "loops", prog.options.Loops, "`number` of event loops; 0: one for each CPU")
	completeAdmin(cmd)
	return cmd
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
	for {
		select {
		case s := <-reload:
			g.Reopen()
			if s == syscall.SIGHUP {
				f.again(log)
			}
			continue
		case next := <-f.offers:
			next.next(g, log)
			continue
		case <-renew:
			pid, err := upgrade(ctx, g, &held)
			if err != nil {
				log.Error("upgrade failed; this process keeps serving", "error", err)
				continue
			}
			handedOver = true
			log.Info("another process has taken over", "pid", pid)
		case <-ctx.Done():
		}
		break
	}
	drain := g.Snapshot().Config.Client.Drain
	log.Info("draining", "at most", drain)
	end, cancel := context.WithTimeout(context.Background(), drain)
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
