//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// askGateway asks nanogate what became of each request.
const askGateway = `, headers: {Nanogate-Explain: "1"}`

// gatewayWait is how long nanogate may take until it responds for the first time.
const gatewayWait = 30 * time.Second

// heldInGateway are options of a route that holds some requests before it asks an upstream.
const heldInGateway = ", fault: {delay: {for: 30ms, share: 2.5%}}"

// behindGateway puts the service that suffers behind nanogate, whose route has options besides.
func behindGateway(options string) stage {
	return func(ctx context.Context, l *lab, x *explained, upstream, resolver string) (*staged, error) {
		program, err := l.gatewayProgram(ctx)
		if err != nil {
			return nil, err
		}
		s, err := l.suffer(ctx, x.cause, upstream, resolver)
		if err != nil {
			return nil, err
		}
		g, err := l.gateway(ctx, program, s.url, options)
		if err != nil {
			s.stop()
			return nil, err
		}
		stop := g.stop
		g.stop = func() { stop(); s.stop() }
		return g, nil
	}
}

// gatewayProgram builds nanogate, once.
func (l *lab) gatewayProgram(ctx context.Context) (string, error) {
	file := filepath.Join(l.dir, "nanogate")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	return file, rounds.Build(ctx, file, "nanogate/cmd/nanogate")
}

// gateway starts nanogate before an upstream and waits until it responds.
func (l *lab) gateway(ctx context.Context, program, upstream, options string) (*staged, error) {
	at, err := freeAddress()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(l.dir, "nanogate.yaml")
	text := gatewayFile(at, upstream, options)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "run", "--log-level", "WARN", "-c", file)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() { cmd.Process.Kill(); cmd.Wait() }
	url := "http://" + at + "/"
	if err := responds(ctx, url); err != nil {
		stop()
		return nil, fmt.Errorf("nanogate didn't start: %w", err)
	}
	return &staged{subject: "url: " + url, pid: cmd.Process.Pid, stop: stop}, nil
}

// gatewayFile is a configuration of nanogate that sends everything to one upstream.
func gatewayFile(at, upstream, options string) string {
	return fmt.Sprintf(`listen: %s
explain: 127.0.0.1
routes:
  - {match: {path: "/*"}, to: service%s}
upstreams:
  service: [%q]
`, at, options, strings.TrimSuffix(upstream, "/"))
}

// responds waits until a service responds with 200.
func responds(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, gatewayWait)
	defer cancel()
	for {
		r, err := http.Get(url)
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it responds %s", r.Status)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
