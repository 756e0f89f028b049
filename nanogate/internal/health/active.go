// Package health finds out which endpoints of an upstream should get no requests: those
// that fail health checks, and outliers, whose responses fail.
package health

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// Active sends periodic health checks to each endpoint.
type Active struct {
	// Ask asks an endpoint in place of a check over the network; nil: nothing does.
	Ask func(u *upstream.Upstream, e *upstream.Endpoint) error

	rules  config.Health
	plain  *http.Client // over HTTP/1.1
	second *http.Client // over HTTP/2
	known  map[*upstream.Endpoint]*record
}

// atOnce bounds how many endpoints are checked at the same time.
const atOnce = 32

// dialTargetKey is the context's key of the way to the endpoint.
type dialTargetKey struct{}

// dialTarget is how an endpoint is reached.
type dialTarget struct {
	address config.Address
	tls     *tls.Config // nil: without
	// protocol is what is spoken over TLS (RFC 7301).
	protocol string
}

func (w dialTarget) dial(ctx context.Context, d *net.Dialer) (net.Conn, error) {
	network, at := "tcp", w.address.IP.String()
	if w.address.Unix != "" {
		network, at = "unix", w.address.Unix
	}
	c, err := d.DialContext(ctx, network, at)
	if err != nil || w.tls == nil {
		return c, err
	}
	config := w.tls.Clone()
	config.NextProtos = []string{w.protocol}
	secure := tls.Client(c, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return secure, nil
}

// NewActive makes the checks.
func NewActive(rules *config.Health) *Active {
	second := &http.Protocols{}
	second.SetUnencryptedHTTP2(true)
	return &Active{rules: *rules, plain: newClient(rules, nil), second: newClient(rules, second)}
}

// newClient makes a client that speaks some protocols; nil: HTTP/1.1.
func newClient(rules *config.Health, protocols *http.Protocols) *http.Client {
	var dialer net.Dialer
	return &http.Client{
		Timeout:       rules.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Protocols:         protocols,
			DisableKeepAlives: true, // a connection that stands says nothing of new ones
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return ctx.Value(dialTargetKey{}).(dialTarget).dial(ctx, &dialer)
			},
		},
	}
}

// clientOf is the client for an endpoint.
func (a *Active) clientOf(e *upstream.Endpoint) *http.Client {
	if e.Address.HTTP2 {
		return a.second
	}
	return a.plain
}

// protocol is the protocol of the checks.
func (a *Active) protocol() string {
	if a.rules.GRPC {
		return "h2"
	}
	return "http/1.1"
}

// record is what is known of one endpoint.
type record struct{ good, bad int } // in a row

// Watch checks until ctx ends. The first result decides at once, as there is none yet;
// after that it takes as many in a row as the rules say. Times are jittered, so that
// many gateways don't check at the same moment.
func (a *Active) Watch(ctx context.Context, u *upstream.Upstream) {
	for {
		all := u.Set().All
		sick := a.checkAll(ctx, u, all)
		if ctx.Err() != nil {
			return
		}
		a.judge(u, all, sick)
		spread := time.Duration(rand.Int64N(int64(a.rules.Every)/5 + 1))
		select {
		case <-ctx.Done():
			return
		case <-time.After(a.rules.Every - a.rules.Every/10 + spread):
		}
	}
}

// judge takes in the results of a round of checks.
func (a *Active) judge(u *upstream.Upstream, all []*upstream.Endpoint, sick []error) {
	now := make(map[*upstream.Endpoint]*record, len(all))
	for i, e := range all {
		well, r := sick[i] == nil, a.known[e]
		first := r == nil
		if first {
			r = &record{}
		}
		now[e] = r
		if well {
			r.good, r.bad = r.good+1, 0
		} else {
			r.good, r.bad = 0, r.bad+1
		}
		switch {
		case well && (first || r.good >= a.rules.Healthy):
			u.Mark(e, upstream.Unhealthy, false, "")
		case !well && (first || r.bad >= a.rules.Unhealthy):
			u.Mark(e, upstream.Unhealthy, true, "health check: "+sick[i].Error())
		}
	}
	a.known = now // those that are gone are forgotten
}

// Every implements [upstream.Stepper].
func (a *Active) Every() time.Duration { return a.rules.Every }

// Step implements [upstream.Stepper], by Ask.
func (a *Active) Step(u *upstream.Upstream, _ int64) {
	all := u.Set().All
	sick := make([]error, len(all))
	for i, e := range all {
		sick[i] = a.Ask(u, e)
	}
	a.judge(u, all, sick)
}

// checkAll checks all of them, and returns the error of each; nil: healthy.
func (a *Active) checkAll(ctx context.Context, u *upstream.Upstream, all []*upstream.Endpoint) []error {
	sick := make([]error, len(all))
	room := make(chan struct{}, atOnce)
	var asking sync.WaitGroup
	for i, e := range all {
		room <- struct{}{}
		asking.Go(func() {
			sick[i] = a.check(context.WithValue(ctx, dialTargetKey{}, dialTarget{e.Address, u.TLS(e), a.protocol()}), e)
			<-room
		})
	}
	asking.Wait()
	return sick
}

// check checks one. It doesn't wait for the body.
func (a *Active) check(ctx context.Context, e *upstream.Endpoint) error {
	if a.rules.GRPC {
		return a.checkServing(ctx, e)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.Host+a.rules.Path, nil)
	if err != nil {
		return err
	}
	if a.rules.Host != "" {
		req.Host = a.rules.Host
	}
	req.Header.Set("User-Agent", "nanogate health check")
	resp, err := a.clientOf(e).Do(req)
	if err != nil {
		return cause(err)
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
	if resp.StatusCode < a.rules.Low || resp.StatusCode > a.rules.High {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// cause is an error without the URL, which says nothing that the endpoint's name doesn't.
func cause(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
