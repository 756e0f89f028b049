//go:build linux

package main

import (
	"context"
	"fmt"
)

// staged is what a study measures.
type staged struct {
	subject string // of the study, without its name: "url: http://127.0.0.1:1/"
	pid     int    // of the service, for what is done to it from outside; 0 if dyno starts it
	stop    func()
}

// stage sets up what a study measures instead of a service that suffers by itself.
type stage func(ctx context.Context, l *lab, x *explained, upstream, resolver string) (*staged, error)

// start starts what is measured.
func (x *explained) start(ctx context.Context, l *lab, upstream, resolver string) (*staged, error) {
	if x.stage != nil {
		return x.stage(ctx, l, x, upstream, resolver)
	}
	s, err := l.suffer(ctx, x.cause, upstream, resolver)
	if err != nil {
		return nil, err
	}
	return &staged{subject: "url: " + s.url, pid: s.pid(), stop: s.stop}, nil
}

// onPausingNetwork puts a service that has nothing behind a network that stands still now and then: what
// is sent then is on its way, and neither end knows.
func onPausingNetwork(ctx context.Context, l *lab, _ *explained, _, _ string) (*staged, error) {
	program, err := l.withSymbols(ctx)
	if err != nil {
		return nil, err
	}
	return &staged{subject: fmt.Sprintf("run: %q, network: {rtt: 2ms, pause: 30ms, every: 500ms}", program+" serve"), stop: func() {}}, nil
}
