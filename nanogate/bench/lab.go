//go:build linux

package main

import (
	"context"
	"slices"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// lab is what all campaigns share: programs, files, settings, and the upstreams.
type lab struct {
	rounds.Lab
	nanogate string // built from this source
	other    string // another build of nanogate, for the campaign builds
	token    string // that the gateway which does all lets pass
	upstream *rounds.Server
	service  *rounds.Server // whose capacity is given
	origin   *rounds.Server // whose responses may be stored
	calls    *rounds.Server // that is called over gRPC
	shadow   *rounds.Server // whom requests are mirrored to
	echo     *rounds.Server // of WebSockets' messages
	etcd     string         // address of the one that is started for the next trial
	admin    string         // address at which the next trial's gateway shows itself, if it does
}

// upstreams are the servers beside the generator that have been started.
func (l *lab) upstreams() []*rounds.Server {
	all := []*rounds.Server{l.upstream, l.service, l.origin, l.calls, l.shadow, l.echo}
	return slices.DeleteFunc(all, func(s *rounds.Server) bool { return s == nil })
}

// prepare builds nanogate and starts the upstreams beside the generator.
func (l *lab) prepare(ctx context.Context) error {
	l.Upstreams = l.upstreams
	if err := rounds.Need("wrk", "taskset"); err != nil {
		return err
	}
	l.nanogate = l.path("nanogate")
	err := rounds.Build(ctx, l.nanogate, "nanogate/cmd/nanogate")
	if err != nil {
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
		{&l.echo, "the server of WebSockets", "echo"},
	} {
		if *u.to, err = l.startSelf(ctx, u.name, u.as); err != nil {
			return err
		}
	}
	return nil
}

// startSelf starts this program as a server beside the generator.
func (l *lab) startSelf(ctx context.Context, name, as string) (*rounds.Server, error) {
	return rounds.StartServer(ctx, name, l.Options.GeneratorCPU, func(address string) []string { return []string{l.Self, as, address} }, nil)
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
