package runcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/service"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

func NewUp(global *cli.Global) *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:     "up SUBJECT",
		Short:   "Build and run one subject until Ctrl-C, to look at by hand",
		Example: "  dyno up go/gin --port 8080",
		Args:    cli.ExactArgs(1, i18n.New("runcmd.subject-arg", "a subject's name (see dyno subjects)")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return cli.UsageError(i18n.Errorf("runcmd.bad-port", "--port must be from 1 to 65535, or 0 for a free one, not %d", port))
			}
			return up(cmd.Context(), args[0], port, global)
		},
		ValidArgsFunction: cli.CompleteSubjects,
	}
	cmd.Flags().IntVarP(&port, "port", "p", 0, "port to listen on (default: a free one)")
	return cmd
}

func up(ctx context.Context, name string, port int, global *cli.Global) (err error) {
	c, err := cli.Catalog()
	if err != nil {
		return err
	}
	m, err := c.Get(name)
	if err != nil {
		return cli.UsageError(err)
	}
	dir, err := cli.Home()
	if err != nil {
		return err
	}
	if err := cli.Sweep(ctx, dir); err != nil {
		return err
	}
	builder := subject.Builder{Dir: filepath.Join(dir, "cache"), Progress: func(line string) {
		if !global.Quiet {
			global.Err().Print(i18n.Verbatim(line))
		}
	}}
	artifact, err := buildTold(ctx, &builder, c, m, global)
	if err != nil {
		return err
	}
	start := artifact.StartSpec()
	if m.Upstream != "" {
		if start.Upstream, err = upstream(ctx, &builder, c, m.Upstream, global); err != nil {
			return err
		}
		start.Upstream.StateDir = dir
	}
	start.Port, start.StateDir = port, dir
	services, err := service.StartAll(ctx, &service.Host{Catalog: c, Builder: &builder, StateDir: dir}, service.Of(&m))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, services.Stop(context.WithoutCancel(ctx))) }()
	maps.Copy(start.Env, services.Env())
	in, err := subject.Start(ctx, start)
	if err != nil {
		return err
	}
	global.Out().Print(i18n.New("runcmd.subject-up", "%s is up on %s (process %d, started in %v); Ctrl-C stops it", name, in.URL(), in.PID(), in.StartUp()))
	if err := showRoutes(c, m, in.URL()); err != nil {
		return errors.Join(err, in.Stop(context.WithoutCancel(ctx)))
	}
	watching, gone := context.WithCancel(ctx)
	defer gone()
	services.Watch(watching, gone)
	select {
	case <-watching.Done():
	case <-in.Done():
	}
	died := errors.Join(services.Err(), in.Err())
	return errors.Join(died, in.Stop(context.WithoutCancel(ctx)))
}

// upstream builds what a gateway sends requests on to.
func upstream(ctx context.Context, b *subject.Builder, c *subject.Catalog, name string, global *cli.Global) (*subject.StartSpec, error) {
	m, err := c.Get(name)
	if err != nil {
		return nil, err
	}
	artifact, err := buildTold(ctx, b, c, m, global)
	if err != nil {
		return nil, err
	}
	start := artifact.StartSpec()
	return &start, nil
}

// stillBuilding is how often a build that prints nothing says that it goes on.
const stillBuilding = 10 * time.Second

// buildTold builds a subject and says so: most builds print nothing for minutes.
func buildTold(ctx context.Context, b *subject.Builder, c *subject.Catalog, m subject.Manifest, global *cli.Global) (*subject.Artifact, error) {
	tell := func(m i18n.Message) {
		if !global.Quiet {
			global.Err().Print(m)
		}
	}
	began, ended := time.Now(), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		for shown := false; ; shown = true {
			wait := stillBuilding
			if !shown {
				wait = 300 * time.Millisecond // longer than looking into the cache
			}
			select {
			case <-ended:
				return
			case <-time.After(wait):
			}
			if !shown {
				tell(i18n.New("runcmd.building-slow", "building %s, which takes up to some minutes the first time", m.Name))
			} else {
				tell(i18n.New("runcmd.building-far", "building %s: %v so far", m.Name, time.Since(began).Round(time.Second)))
			}
		}
	})
	a, err := b.Build(ctx, c, m)
	close(ended)
	told.Wait()
	if err == nil && !a.Cached {
		tell(i18n.New("runcmd.built", "built %s in %v", m.Name, time.Since(began).Round(time.Second)))
	}
	return a, err
}

func showRoutes(c *subject.Catalog, m subject.Manifest, url string) error {
	if m.GRPC() {
		return showCalls(c, m)
	}
	routes, err := c.Routes(m)
	if err != nil {
		return err
	}
	for _, r := range routes {
		method := r.Method
		if method == "" {
			method = "GET"
		}
		fmt.Printf("  %-5s %s%s → %d\n", method, url, r.Path, r.Expect.Status)
	}
	return nil
}

// showCalls shows each gRPC method once.
func showCalls(c *subject.Catalog, m subject.Manifest) error {
	calls, err := c.Calls(m)
	if err != nil {
		return err
	}
	for i := range calls {
		if i == 0 || calls[i].Method != calls[i-1].Method {
			fmt.Println("  gRPC ", calls[i].Method)
		}
	}
	return nil
}
