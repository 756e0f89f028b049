package contract

import (
	"context"
	"crypto/tls"
	"fmt"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Verifier sends requests to a service and judges the responses.
type Verifier struct {
	TLS *tls.Config // for https; nil for the system's certificates. It is not changed.
	// Protocol is what it speaks, by its ALPN name: "http/1.1", or "h2", without TLS
	// by prior knowledge; empty for HTTP/1.1.
	Protocol string
}

// Verify requests every route of the service at baseURL ("http://host:port", or https),
// twice on one connection, and checks status, headers, length, body and keep-alive. It
// returns a [*Refusal] with all that is wrong, or an error if ctx has ended.
func (v *Verifier) Verify(ctx context.Context, baseURL string, routes []Route) error {
	checks := make([]check, len(routes))
	for i, route := range routes {
		checks[i] = check{
			request: route.Request(),
			judge:   func(a *response) []Problem { return route.Expect.judge(a) },
		}
	}
	return v.verify(ctx, baseURL, checks)
}

// VerifyRequests does the same for the user's own service, of which only the requests
// of a load are known: each must get its complete response twice on one connection, as
// the request expects. Templates must have been rendered; see [request.Examples].
func (v *Verifier) VerifyRequests(ctx context.Context, baseURL string, requests []request.Request) error {
	checks := make([]check, len(requests))
	for i, req := range requests {
		if req.Method == "" {
			req.Method = "GET"
		}
		expected, err := req.Expectations()
		if err != nil {
			return err
		}
		checks[i] = check{
			request: req,
			judge:   func(a *response) []Problem { return judgeExpected(expected, a) },
		}
	}
	return v.verify(ctx, baseURL, checks)
}

// check is a request and the check of its response.
type check struct {
	request request.Request
	judge   func(*response) []Problem
}

func (v *Verifier) verify(ctx context.Context, baseURL string, checks []check) error {
	refusal := &Refusal{Subject: baseURL}
	for _, c := range checks {
		problems := c.run(ctx, func() (exchanger, error) { return v.connect(ctx, baseURL) })
		if ctx.Err() != nil {
			return i18n.Errorf("runner.verify-subject", "verify the subject at %s: %w", baseURL, context.Cause(ctx))
		}
		for _, p := range problems {
			p.Route = c.title()
			refusal.Problems = append(refusal.Problems, p)
		}
	}
	if len(refusal.Problems) > 0 {
		return refusal
	}
	return nil
}

// exchanger is a connection that requests are sent on, one after the other.
type exchanger interface {
	exchange(ctx context.Context, req request.Request) (*response, error)
	surplus() int // bytes that came after the last response's end
	Close() error
}

func (v *Verifier) connect(ctx context.Context, baseURL string) (exchanger, error) {
	if v.Protocol == request.HTTP2 {
		return newHTTP2Wire(baseURL, v.TLS), nil
	}
	w, err := dial(ctx, baseURL, v.TLS)
	if err != nil {
		return nil, err // not a wire that is nil
	}
	return w, nil
}

func (c *check) title() string {
	title := c.request.Method + " " + shorten(c.request.Path)
	if c.request.Name != "" {
		title += " (" + c.request.Name + ")"
	}
	return title
}

// run sends the request on a new connection, and again if the first response was right.
func (c *check) run(ctx context.Context, connect func() (exchanger, error)) []Problem {
	w, err := connect()
	if err != nil {
		return []Problem{{What: "response", Diff: []string{"- a connection", "+ " + err.Error()}}}
	}
	defer w.Close()
	first, err := w.exchange(ctx, c.request)
	if err != nil {
		return []Problem{{What: "response", Diff: []string{"- a complete response", "+ " + err.Error()}}}
	}
	problems := append(c.judge(first), judgeLength(first)...)
	if extra := w.surplus(); extra > 0 {
		return append(problems, Problem{What: "length", Diff: []string{
			fmt.Sprintf("- %d bytes of body, as the head says", len(first.body)),
			fmt.Sprintf("+ at least %d bytes more", extra),
		}})
	}
	return append(problems, c.again(ctx, w, first)...)
}

// again sends it a second time on the same connection: a load does so a million times.
func (c *check) again(ctx context.Context, w exchanger, first *response) []Problem {
	kept := func(got string) []Problem {
		return []Problem{{What: "keep-alive", Diff: []string{"- a second response on the same connection", "+ " + got}}}
	}
	if len(judgeLength(first)) > 0 {
		return nil // which is problem enough, and ends the connection
	}
	if first.Close {
		return kept("the first response announces that the connection will be closed")
	}
	second, err := w.exchange(ctx, c.request)
	if err != nil {
		return kept(err.Error())
	}
	if second.StatusCode != first.StatusCode {
		return kept("a second response with status " + second.Status)
	}
	return nil
}
