package mirror

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dyno/gate/request"
	"dyno/gate/upstream"
	"dyno/nano/wire/clock"
)

// mostHead bounds the head of a shadow's response, in bytes.
const mostHead = 64 << 10

// endpointKey is the context's key of the endpoint that a request is for.
type endpointKey struct{}

// transports make what requests are sent with. Connections are known by their endpoint's
// ID, which stands in the URL in place of a host.
func (m *Mirror) transports() (plain, second *http.Transport) {
	made := func(set func(*http.Protocols)) *http.Transport {
		p := &http.Protocols{}
		set(p)
		return &http.Transport{
			Protocols: p, DialContext: m.dial, DialTLSContext: m.dialTLS,
			MaxIdleConns: m.Config.Concurrency, MaxIdleConnsPerHost: m.Config.Concurrency, IdleConnTimeout: m.Upstream.Config.Pool.Idle,
			DisableCompression: true, MaxResponseHeaderBytes: mostHead,
		}
	}
	plain = made(func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) })
	return plain, made(func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })
}

// dial connects to the endpoint of a request. A connection that takes longer than the
// request may is given up after the upstream's own time for that.
func (m *Mirror) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	e := ctx.Value(endpointKey{}).(*upstream.Endpoint)
	d := net.Dialer{Timeout: m.Upstream.Config.Connect}
	if e.Address.Unix != "" {
		return d.DialContext(ctx, "unix", e.Address.Unix)
	}
	return d.DialContext(ctx, "tcp", e.Address.IP.String())
}

func (m *Mirror) dialTLS(ctx context.Context, network, at string) (net.Conn, error) {
	c, err := m.dial(ctx, network, at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, m.Upstream.Config.Connect)
	defer cancel()
	config := m.Upstream.TLS(ctx.Value(endpointKey{}).(*upstream.Endpoint)).Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	secure := tls.Client(c, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return secure, nil
}

// carry asks the shadow, and holds its response against the first one.
func (m *Mirror) carry(c *Capture) {
	ctx, cancel := context.WithTimeout(context.WithValue(m.ctx, endpointKey{}, c.endpoint), m.Config.Timeout)
	defer cancel()
	c.endpoint.Begin()
	began := clock.Now()
	second, err := m.ask(ctx, c)
	took := clock.Now() - began
	c.endpoint.End()
	if m.ctx.Err() != nil {
		c.drop(Closed)
		return
	}
	m.tell(c.endpoint, second, err, began, took)
	if err != nil {
		m.Record.failed.Add(1)
		m.Record.keep(m.sample(c, second, took, nil, failureText(err)))
		return
	}
	m.Record.first.Add(c.took)
	m.Record.second.Add(took)
	found, unread := m.compare.responses(c.response(), second, m.redact())
	if unread {
		m.Record.unread.Add(1)
	}
	if len(found) == 0 {
		m.Record.same.Add(1)
		return
	}
	m.Record.different.Add(1)
	counted := map[[2]string]bool{}
	for _, d := range found {
		if key := [2]string{d.Kind, d.Field}; !counted[key] {
			counted[key] = true
			m.Record.differ(d.Kind, d.Field)
		}
	}
	m.Record.keep(m.sample(c, second, took, found, ""))
}

// ask sends the request to the shadow and reads its response, of its body as much as is
// compared. It isn't sent twice, but on another connection if the one that was kept was
// found closed, as net/http does.
func (m *Mirror) ask(ctx context.Context, c *Capture) (response, error) {
	req, err := m.request(ctx, c)
	if err != nil {
		return response{}, err
	}
	transport := m.plain
	if c.endpoint.Address.HTTP2 {
		transport = m.second
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	r := response{status: resp.StatusCode, header: resp.Header}
	r.content, err = io.ReadAll(io.LimitReader(resp.Body, m.Config.Body+1))
	if err != nil {
		return r, err
	}
	if r.long = int64(len(r.content)) > m.Config.Body; r.long {
		return r, nil
	}
	r.grpc = resp.Header.Get("Grpc-Status")
	if status := resp.Trailer.Get("Grpc-Status"); status != "" {
		r.grpc = status
	}
	return r, nil
}

// request makes the request for the shadow from what its own endpoint was sent.
func (m *Mirror) request(ctx context.Context, c *Capture) (*http.Request, error) {
	sent, err := http.ReadRequest(bufio.NewReaderSize(bytes.NewReader(c.head), len(c.head)+16))
	if err != nil {
		return nil, err
	}
	path, query, asked := strings.Cut(sent.RequestURI, "?")
	if strings.HasPrefix(path, "//") {
		return nil, errors.New("the path can't be sent on as it is")
	}
	scheme := "http"
	if c.endpoint.Address.TLS {
		scheme = "https"
	}
	// As an opaque URL the path goes out as it came, with the escapes that it has.
	req := (&http.Request{
		Method: sent.Method, Host: sent.Host, Header: sent.Header,
		URL: &url.URL{Scheme: scheme, Host: strconv.FormatUint(c.endpoint.ID, 16), Opaque: path, RawQuery: query, ForceQuery: asked && query == ""},
	}).WithContext(ctx)
	if len(c.body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	}
	switch m.host {
	case "":
	case "upstream":
		req.Host = c.endpoint.Host
	default:
		req.Host = m.host
	}
	h := req.Header
	trailers := strings.EqualFold(h.Get("Te"), "trailers")
	for _, name := range []string{"Connection", "Te", "Expect"} { // they are about a connection that it isn't on
		h.Del(name)
	}
	if trailers && (c.endpoint.Address.HTTP2 || c.endpoint.Address.TLS) {
		h.Set("Te", "trailers")
	}
	for _, name := range m.edit.drop {
		h.Del(name)
	}
	for _, f := range m.edit.set {
		h.Add(f.Name, f.Value)
	}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = nil // or net/http names itself
	}
	h.Set(Mark, "nanogate")
	return req, nil
}

// tell counts the request at its endpoint, and tells those who watch it.
func (m *Mirror) tell(e *upstream.Endpoint, r response, err error, began, took int64) {
	o := request.Outcome{Status: r.status, Upstream: err == nil, Tries: 1, Began: began, Asked: began, Ended: began + took}
	if err != nil {
		o.Status, o.Failed = 0, failureOf(err)
	} else {
		e.Took(took, began+took)
	}
	e.Counters.Of(0).Count(&o)
	for _, d := range m.Upstream.Detectors {
		d.Tried(e, o.Status, o.Failed, took)
	}
}

// failureOf says why there was no response.
func failureOf(err error) request.Failure {
	var dial *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return request.TimedOut
	case errors.As(err, &dial) && dial.Op == "dial":
		return request.ConnectFailed
	}
	return request.UpstreamGone
}

func failureText(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no response in time"
	}
	return cut(err.Error())
}

// milliseconds is a duration in ns as people read it.
func milliseconds(ns int64) float64 { return float64(time.Duration(ns).Round(time.Microsecond)) / 1e6 }
