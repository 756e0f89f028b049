//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// lab is what all campaigns share: programs, files, settings, and the upstream.
type lab struct {
	options  rounds.Options
	dir      string // temporary
	nanogate string // built from this source
	other    string // another build of nanogate, for the campaign builds
	dyno     string // built from this source, the open loops' generator
	token    string // that the gateway which does all lets pass
	upstream *rounds.Server
	service  *rounds.Server // whose capacity is given
	origin   *rounds.Server // whose responses may be stored
	calls    *rounds.Server // that is called over gRPC
	shadow   *rounds.Server // whom requests are mirrored to
	self     string         // this program
	etcd     string         // address of the one that is started for the next trial
	admin    string         // address at which the next trial's gateway shows itself, if it does
	watch    *rounds.Watch
}

// openLab builds nanogate and starts the upstream beside the generator.
func openLab(ctx context.Context, o rounds.Options) (*lab, error) {
	dir, err := os.MkdirTemp("", "gateways-")
	if err != nil {
		return nil, err
	}
	l := &lab{options: o, dir: dir, nanogate: filepath.Join(dir, "nanogate"), watch: rounds.NewWatch()}
	if err := l.prepare(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() {
	for _, s := range l.upstreams() {
		s.Stop(time.Second)
	}
	l.watch.Close()
	os.RemoveAll(l.dir)
}

// upstreams are the servers beside the generator that have been started.
func (l *lab) upstreams() []*rounds.Server {
	all := []*rounds.Server{l.upstream, l.service, l.origin, l.calls, l.shadow}
	return slices.DeleteFunc(all, func(s *rounds.Server) bool { return s == nil })
}

// upstreamsCPU is the CPU time that they have used.
func (l *lab) upstreamsCPU() (sum time.Duration) {
	for _, s := range l.upstreams() {
		sum += rounds.ProcessCPU(s.PID())
	}
	return sum
}

// find asks the gateways of a campaign for their versions, and says why some are left out.
func find(ctx context.Context, list []gateway) (versions, missing map[string]string) {
	versions, missing = map[string]string{}, map[string]string{}
	for _, g := range list {
		if len(g.version) == 0 {
			continue
		}
		out, err := exec.CommandContext(ctx, g.version[0], g.version[1:]...).CombinedOutput()
		if err != nil {
			missing[g.name] = err.Error()
			fmt.Printf("left out: %s: %v (to have it: %s)\n", g.name, err, g.install)
			continue
		}
		versions[g.name], _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	}
	return versions, missing
}

func (l *lab) prepare(ctx context.Context) error {
	for _, name := range []string{"wrk", "taskset"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing; on Debian: apt-get install wrk util-linux", name)
		}
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", l.nanogate, "./nanogate/cmd/nanogate").CombinedOutput(); err != nil {
		return fmt.Errorf("building nanogate (run this from the repository's root): %w: %s", err, rounds.Tail(string(out)))
	}
	l.dyno = filepath.Join(l.dir, "dyno")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", l.dyno, "./dyno/cmd/dyno").CombinedOutput(); err != nil {
		return fmt.Errorf("building dyno: %w: %s", err, rounds.Tail(string(out)))
	}
	var err error
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if l.token, err = l.credentials(); err != nil {
		return err
	}
	if err := l.describeUsers(ctx); err != nil {
		return err
	}
	for _, u := range []struct {
		to       **rounds.Server
		name, as string
	}{
		{&l.upstream, "the null server", "null"}, {&l.service, "the service", "service"}, {&l.origin, "the origin", "origin"},
		{&l.calls, "the server of calls", "calls"}, {&l.shadow, "the shadow", "null"},
	} {
		if *u.to, err = l.startSelf(ctx, u.name, u.as); err != nil {
			return err
		}
	}
	return nil
}

// startSelf starts this program as a server beside the generator.
func (l *lab) startSelf(ctx context.Context, name, as string) (*rounds.Server, error) {
	return rounds.StartServer(ctx, name, l.options.GeneratorCPU, func(address string) []string { return []string{l.self, as, address} }, nil)
}

// renewService has the next trial find a service that works on nothing: whom the clients
// of this one have given up, it would still serve.
func (l *lab) renewService(ctx context.Context) error {
	l.service.Stop(time.Second)
	s, err := l.startSelf(ctx, "the service", "service")
	if err == nil {
		l.service = s
	}
	return err
}

// generate runs a generator on its CPU, and returns what it printed and took.
func (l *lab) generate(ctx context.Context, command []string) (text string, cpu time.Duration, err error) {
	cmd := rounds.Pinned(ctx, l.options.GeneratorCPU, command)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if cmd.ProcessState != nil {
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		err = nil // what it printed tells more
	}
	return out.String(), cpu, err
}
