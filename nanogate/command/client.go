//go:build linux

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/config"
)

// adminFlags are the address and the token of a gateway's admin API.
type adminFlags struct{ address, token string }

func (f *adminFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.address, "admin", "127.0.0.1:9901", "the gateway's admin `address`, host:port or unix:/path")
	flags.StringVar(&f.token, "token", "", "`file` with the admin token, if the gateway needs one")
	completeAdmin(cmd)
}

// adminClient sends requests to a gateway's admin address.
type adminClient struct {
	address, token string
	http           *http.Client
}

// client makes a client of the gateway that the flags name.
func (f *adminFlags) client() (*adminClient, error) {
	if err := config.CheckAdmin(f.address); err != nil {
		return nil, usageError{fmt.Errorf("--admin: %w", err)}
	}
	c := &adminClient{address: f.address, http: &http.Client{Timeout: time.Minute}}
	if f.token != "" {
		b, err := os.ReadFile(f.token)
		if err != nil {
			return nil, fmt.Errorf("--token: %w", err)
		}
		c.token = strings.TrimSpace(string(b))
	}
	transport := &http.Transport{} // no proxy: requests go to the gateway itself
	if path, ok := strings.CutPrefix(f.address, "unix:"); ok {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	c.http.Transport = transport
	return c, nil
}

// url is where a path of the gateway's is.
func (c *adminClient) url(path string) string {
	if strings.HasPrefix(c.address, "unix:") {
		return "http://localhost" + path
	}
	if host, port, err := net.SplitHostPort(c.address); err == nil && (host == "" || host == "0.0.0.0") {
		return "http://127.0.0.1:" + port + path
	}
	return "http://" + c.address + path
}

// do sends a request and returns the status and the body of the response.
func (c *adminClient) do(ctx context.Context, method, path, kind string, body []byte, fields ...string) (status int, response []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url(path), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("no gateway responds at %s (run it with --admin, or admin: in its file): %w", c.address, err)
	}
	defer resp.Body.Close()
	response, err = io.ReadAll(io.LimitReader(resp.Body, 256<<20))
	return resp.StatusCode, response, err
}

// get reads JSON.
func (c *adminClient) get(ctx context.Context, path string, into any) error {
	status, response, err := c.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK && path != "/ready" {
		return said(status, response)
	}
	return json.Unmarshal(response, into)
}

// said is what a gateway says of what it doesn't do.
func said(status int, response []byte) error {
	var problem struct{ Title, Detail string }
	if json.Unmarshal(response, &problem) == nil && problem.Detail != "" {
		return errors.New(problem.Detail)
	}
	return fmt.Errorf("the gateway responded %d %s", status, http.StatusText(status))
}
