package contract

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http1"
)

// Limits of one exchange.
const (
	respondWithin = 5 * time.Second
	bodyLimit     = 64 << 20 // bytes
)

// wire is one TCP connection, so that it is certain which connection a response came
// on. net/http's client would quietly use another.
type wire struct {
	net.Conn
	in   *bufio.Reader
	came bytes.Buffer // what has come since the last response's end, in or behind it
	host string
}

// response is a complete response.
type response struct {
	*http.Response
	body []byte
}

// dial connects to the host of a base URL, "http://host:port", or with TLS if it
// begins with https.
func dial(ctx context.Context, baseURL string, trust *tls.Config) (*wire, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	port, ok := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if !ok || u.Host == "" {
		return nil, i18n.Errorf("contract.bad-base-url", "%q is not a base URL; expected one such as http://127.0.0.1:8080", baseURL)
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), port)
	}
	d := net.Dialer{Timeout: respondWithin}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "https" {
		if conn, err = secure(ctx, conn, u.Hostname(), trust); err != nil {
			return nil, err
		}
	}
	w := &wire{Conn: conn, host: u.Host}
	w.in = bufio.NewReader(io.TeeReader(conn, &w.came))
	return w, nil
}

// secure shakes hands over a connection, which it closes if that fails.
func secure(ctx context.Context, conn net.Conn, host string, trust *tls.Config) (net.Conn, error) {
	config := &tls.Config{}
	if trust != nil {
		config = trust.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	ctx, cancel := context.WithTimeout(ctx, respondWithin)
	defer cancel()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// surplus implements exchanger.
func (w *wire) surplus() int { return w.in.Buffered() }

// exchange implements exchanger: it sends a request and reads the complete response.
func (w *wire) exchange(ctx context.Context, req request.Request) (*response, error) {
	if err := w.SetDeadline(time.Now().Add(respondWithin)); err != nil {
		return nil, err
	}
	end := context.AfterFunc(ctx, func() { _ = w.SetDeadline(time.Unix(1, 0)) })
	defer end()
	w.came.Next(w.came.Len() - w.in.Buffered())
	if _, err := w.Write(render(req, w.host)); err != nil {
		return nil, readError(err)
	}
	resp, err := http.ReadResponse(w.in, &http.Request{Method: req.Method})
	if err != nil {
		return nil, readError(err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyLimit))
	if err != nil {
		if promised := resp.ContentLength; promised >= 0 {
			return nil, i18n.Errorf("contract.body-too-short", "Content-Length promises %d bytes of body, but after %d of them: %w", promised, len(body), readError(err))
		}
		return nil, i18n.Errorf("contract.after-bytes-body", "after %d bytes of body: %w", len(body), readError(err))
	}
	if len(body) == bodyLimit {
		return nil, i18n.Errorf("contract.body-too-large", "the body has %d bytes or more, too many to verify", bodyLimit)
	}
	if err := w.refused(req.Method); err != nil {
		return nil, err
	}
	return &response{Response: resp, body: body}, nil
}

// refused says why the load would count the response as failed: its codec is stricter
// than net/http, which accepts two equal Content-Length fields.
func (w *wire) refused(method string) error {
	var strict http1.Response
	strict.Reset(method == http.MethodHead)
	if _, err := strict.Feed(w.came.Bytes()[:w.came.Len()-w.in.Buffered()]); err != nil {
		return i18n.Errorf("contract.one-load-refuses", "one that a load refuses: %w", err)
	}
	return nil
}

// render writes a request as HTTP/1.1 (RFC 9112, 3).
func render(req request.Request, host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", req.Method, req.Path)
	if !hasHeader(req.Headers, "Host") {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	for _, h := range req.Headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	needsLength := req.Body != "" || slices.Contains([]string{"POST", "PUT", "PATCH"}, req.Method)
	if needsLength && !hasHeader(req.Headers, "Content-Length") {
		b.WriteString("Content-Length: " + strconv.Itoa(len(req.Body)) + "\r\n")
	}
	b.WriteString("\r\n" + req.Body)
	return b.Bytes()
}

func hasHeader(headers []request.Header, name string) bool {
	return slices.ContainsFunc(headers, func(h request.Header) bool { return strings.EqualFold(h.Name, name) })
}

// readError words an error of a connection.
func readError(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return i18n.Errorf("contract.connection-closed", "the connection was closed: %w", err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return i18n.Errorf("contract.connection-reset", "the connection was reset: %w", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return i18n.Errorf("contract.nothing-more-in-time", "nothing more came within %v: %w", respondWithin, err)
	}
	return err
}
