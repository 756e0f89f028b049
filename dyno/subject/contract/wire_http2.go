package contract

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// http2Wire is one connection that speaks HTTP/2: over TLS by ALPN, else by prior
// knowledge (RFC 9113, 3). It is net/http's, which must not open another.
type http2Wire struct {
	transport *http.Transport
	base      string
	opened    atomic.Bool
}

// errSecond is why a second connection is not opened.
var errSecond = errors.New("the connection was closed after its first response")

func newHTTP2Wire(base string, trust *tls.Config) *http2Wire {
	w := &http2Wire{base: base}
	only := new(http.Protocols)
	only.SetHTTP2(true)
	only.SetUnencryptedHTTP2(true)
	if trust != nil {
		trust = trust.Clone()
	}
	w.transport = &http.Transport{
		Protocols: only, TLSClientConfig: trust, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if w.opened.Swap(true) {
				return nil, errSecond
			}
			return (&net.Dialer{Timeout: respondWithin}).DialContext(ctx, network, address)
		},
	}
	return w
}

// exchange implements exchanger.
func (w *http2Wire) exchange(ctx context.Context, req request.Request) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, respondWithin)
	defer cancel()
	asked, err := http.NewRequestWithContext(ctx, req.Method, w.base+req.Path, strings.NewReader(req.Body))
	if err != nil {
		return nil, err
	}
	for _, h := range req.Headers {
		if strings.EqualFold(h.Name, "Host") {
			asked.Host = h.Value
			continue
		}
		asked.Header.Add(h.Name, h.Value)
	}
	resp, err := w.transport.RoundTrip(asked)
	if err != nil {
		return nil, fmt.Errorf("over HTTP/2: %w", readError(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyLimit))
	switch {
	case err != nil:
		return nil, fmt.Errorf("over HTTP/2, after %d bytes of body: %w", len(body), readError(err))
	case len(body) == bodyLimit:
		return nil, i18n.Errorf("contract.body-too-large", "the body has %d bytes or more, too many to verify", bodyLimit)
	}
	return &response{Response: resp, body: body}, nil
}

// surplus implements exchanger: frames say where a response ends.
func (w *http2Wire) surplus() int { return 0 }

// Close implements exchanger.
func (w *http2Wire) Close() error {
	w.transport.CloseIdleConnections()
	return nil
}
