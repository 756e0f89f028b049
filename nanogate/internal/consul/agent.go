package consul

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
)

// agent is the agent or server of Consul that is queried, over its HTTP API.
type agent struct {
	source *Source
	http   *http.Client
	base   string // of the API's URLs
	url    string // of the question, without the index
}

// Bounds of what Consul says.
const (
	mostResponse = 32 << 20 // bytes
	mostHead     = 64 << 10
	mostToken    = 4 << 10
	mostReason   = 300 // bytes of an error
)

func newAgent(s *Source) *agent {
	c := s.config
	transport := &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: mostHead}
	dialer := &net.Dialer{Timeout: c.Timeout}
	base := c.Address
	if path, ok := strings.CutPrefix(c.Address, "unix:"); ok {
		base = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}
	}
	if s.secure != nil {
		transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			rules := s.secure.Config().Clone() // files may have changed
			if rules.NextProtos = []string{"http/1.1"}; rules.ServerName == "" {
				rules.ServerName, _, _ = net.SplitHostPort(address)
			}
			return (&tls.Dialer{NetDialer: dialer, Config: rules}).DialContext(ctx, network, address)
		}
	}
	query := url.Values{}
	if !c.Warning {
		query.Set("passing", "1")
	}
	if c.Datacenter != "" {
		query.Set("dc", c.Datacenter)
	}
	query["tag"] = c.Tags
	query.Set("wait", strconv.FormatInt(s.options.Wait.Milliseconds(), 10)+"ms")
	return &agent{
		source: s, base: base, url: base + "/v1/health/service/" + url.PathEscape(c.Service) + "?" + query.Encode(),
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it sends us elsewhere, and the token isn't for others")
		}},
	}
}

func (a *agent) close() { a.http.CloseIdleConnections() }

// response is Consul's response about a service.
type response struct {
	services []service
	index    uint64
	own      node // the agent's, if sockets are allowed
}

// query requests the instances of the service: with index 0 the response comes at once,
// else when something has changed since that index or the time is up (a blocking
// query).
func (a *agent) query(ctx context.Context, index uint64) (*response, error) {
	// Consul adds up to a sixteenth to the time it waits.
	wait := a.source.config.Timeout
	if index > 0 {
		wait += a.source.options.Wait + a.source.options.Wait/16
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	head, body, err := a.get(limited, a.url+"&index="+strconv.FormatUint(index, 10))
	var made *response
	if err == nil {
		made, err = parse(head, body)
	}
	if err == nil && a.source.config.Sockets {
		made.own, err = a.node(limited)
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("no response in %s", wait)
	}
	return made, err
}

// node requests the node of the agent, which is the gateway's machine.
func (a *agent) node(ctx context.Context) (node, error) {
	_, body, err := a.get(ctx, a.base+"/v1/agent/self")
	if err != nil {
		return node{}, fmt.Errorf("with sockets the agent's node is needed, which takes agent:read: %w", err)
	}
	var self struct {
		Config struct{ Datacenter, NodeName string }
	}
	if err := json.Unmarshal(body, &self); err != nil || self.Config.NodeName == "" {
		return node{}, errors.New("what the agent says of itself (/v1/agent/self) isn't as it should be: it names no node")
	}
	return node{self.Config.Datacenter, self.Config.NodeName}, nil
}

func (a *agent) get(ctx context.Context, target string) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, nil, err
	}
	token, err := a.source.token()
	if err != nil {
		return nil, nil, err
	}
	if token != "" {
		req.Header.Set("X-Consul-Token", token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		if other := (*url.Error)(nil); errors.As(err, &other) {
			err = other.Err // the address is in the message already
		}
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostResponse+1))
	switch {
	case err != nil:
		return nil, nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, nil, fmt.Errorf("it responds with %d: %s", resp.StatusCode, bytes.TrimSpace(body[:min(len(body), mostReason)]))
	case len(body) > mostResponse:
		return nil, nil, fmt.Errorf("its response has more than %d bytes", mostResponse)
	}
	return resp.Header, body, nil
}

// parse reads a response of Consul's API.
func parse(head http.Header, body []byte) (*response, error) {
	made := new(response)
	if err := json.Unmarshal(body, &made.services); err != nil {
		return nil, fmt.Errorf("its response can't be read: %w", err)
	}
	var err error
	if made.index, err = strconv.ParseUint(head.Get("X-Consul-Index"), 10, 63); err != nil || made.index == 0 {
		return nil, fmt.Errorf("its response has no index: it says %q", head.Get("X-Consul-Index"))
	}
	if len(made.services) == 0 && head.Get("X-Consul-Results-Filtered-By-Acls") == "true" {
		return nil, errors.New("the token may not read the service (service:read) and its nodes (node:read)")
	}
	return made, nil
}

// token reads the token. It is read for each question, as it may have been replaced.
func (s *Source) token() (string, error) {
	if s.config.Token == "" {
		return "", nil
	}
	f, err := os.Open(s.config.Token)
	if err != nil {
		return "", fmt.Errorf("Consul's token: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostToken))
	if err != nil {
		return "", fmt.Errorf("Consul's token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("Consul's token: %s holds none", s.config.Token)
	}
	return token, nil
}

// Check reads the files that settings name. It opens no connection.
func Check(c *config.Consul) error {
	_, err := New(c, config.DNS{}, Options{})
	return err
}
