package subject

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"dyno.example/dyno/load/rpc"
	"dyno.example/internal/i18n"
)

// Limits of waiting for readiness.
const (
	defaultReady = 15 * time.Second
	maxReady     = 60 * time.Second
	onePoll      = 2 * time.Second // for the response to one poll
)

// errExited says that a subject ended while its readiness was awaited.
var errExited = i18n.Errorf("subject.exited-early", "exited before it was ready")

// awaitReady polls until the subject is ready. It fails when ctx ends, when exited is
// closed, or after timeout, with the last error of a poll.
func awaitReady(ctx context.Context, poll func(context.Context) error, timeout time.Duration, exited <-chan struct{}) error {
	deadline := time.After(timeout)
	for began := time.Now(); ; {
		// So that the time of a start is known to 5 %, without polling all the time.
		pause := min(max(time.Since(began)/20, 500*time.Microsecond), 20*time.Millisecond)
		last := poll(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-exited:
			return errExited
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline:
			return i18n.Errorf("subject.not-ready-in-time", "was not ready within %v (ready_within gives it longer): %w", timeout, last)
		case <-time.After(pause):
		}
	}
}

// pollOf returns the poll that checks whether the subject at url ("http://host:port")
// is ready. named is what is configured for that, else guess is the best guess: a path,
// or "grpc" and perhaps ":SERVICE" for health over gRPC. trust is for https.
func pollOf(url, named, guess string, trust *tls.Config) func(context.Context) error {
	what, limit := named, limitNamed
	if what == "" {
		what, limit = guess, limitGuessed
	}
	if isHealth(what) {
		_, service, _ := strings.Cut(what, ":")
		return func(ctx context.Context) error { return pollHealth(ctx, url, service, trust, named == "") }
	}
	client := pollingClient(trust)
	return func(ctx context.Context) error { return poll(ctx, client, url+what, limit) }
}

// isHealth reports whether readiness is the health over gRPC.
func isHealth(ready string) bool { return ready == "grpc" || strings.HasPrefix(ready, "grpc:") }

// pollHealth returns nil if the server at url says over gRPC that it serves. Where that
// is only a guess, any gRPC response will do: it may have no health service.
func pollHealth(ctx context.Context, at, service string, trust *tls.Config, guessed bool) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, onePoll)
	defer cancel()
	server := rpc.Server{Address: u.Host}
	if u.Scheme == "https" {
		if server.TLS = trust; trust == nil {
			server.TLS = &tls.Config{}
		}
	}
	err = server.Health(ctx, service)
	if guessed && errors.Is(err, rpc.ErrNoHealth) {
		return nil
	}
	return err
}

// pollingClient uses neither proxies nor redirects, and a new connection for
// each poll. trust is for https, nil for the system's certificates.
func pollingClient(trust *tls.Config) *http.Client {
	return &http.Client{
		Timeout: onePoll,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   trust,
			DialContext:       (&net.Dialer{}).DialContext,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Statuses from which on a subject is not ready: on a path that was named for it, and
// on one that is only the best guess, where any response but a failure will do.
const (
	limitNamed   = 400
	limitGuessed = 500
)

// poll returns nil if url gives a complete response with a status below the limit.
func poll(ctx context.Context, client *http.Client, url string, limit int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= limit {
		return i18n.Errorf("subject.unexpected-status", "the response to GET %s was %s", url, resp.Status)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("GET %s: %w", url, err)
	}
	return nil
}
