//go:build linux

package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nanogate/internal/commandtest"
	"dyno.example/nanogate/internal/oidc/oidctest"
)

// A session outlives the gateway, and the key that its cookie was encrypted with as long as
// that is among the keys; neither tokens nor secrets are logged or shown.
func TestLoginOutlivesTheGateway(t *testing.T) {
	provider := oidctest.New(t)
	dir := t.TempDir()
	path, keys, secret, log := filepath.Join(dir, "nanogate.yaml"), filepath.Join(dir, "keys"), filepath.Join(dir, "secret"), filepath.Join(dir, "access.log")
	key := func(c string) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(c, 32))) + "\n" }
	commandtest.Write(t, secret, oidctest.ClientSecret)
	commandtest.Write(t, keys, key("a"))
	commandtest.Write(t, path, "listen: 127.0.0.1:0\naccess-log: "+log+"\nroutes:\n  - {oidc: {issuer: \""+provider.URL+"\", client-id: "+oidctest.ClientID+
		", client-secret: "+secret+", keys: "+keys+", insecure: true, forward: {authorization: access_token}}, to: "+commandtest.Named(t, "shop")+"}\n")
	jar, err := cookiejar.New(nil) // which knows no ports: both gateways have the same cookies
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	ask := func(g *commandtest.Gateway, path string) string {
		t.Helper()
		resp, err := client.Get("http://" + g.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body := make([]byte, 100)
		n, _ := resp.Body.Read(body)
		return fmt.Sprint(resp.StatusCode, " ", string(body[:n]))
	}
	one := commandtest.Start(t, "run", "-c", path)
	got := ask(one, "/cart")
	for end := time.Now().Add(30 * time.Second); strings.HasPrefix(got, "503") && time.Now().Before(end); got = ask(one, "/cart") {
		time.Sleep(5 * time.Millisecond) // until the provider is known
	}
	if got != "200 shop/cart" {
		t.Fatal(got)
	}
	end := func(g *commandtest.Gateway) {
		t.Helper()
		client.CloseIdleConnections()
		g.Cmd.Process.Signal(syscall.SIGTERM)
		if err := g.Cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	end(one)

	provider.Away.Store(true)
	commandtest.Write(t, keys, key("b")+key("a"))
	two := commandtest.Start(t, "run", "-c", path)
	if got := ask(two, "/cart"); got != "200 shop/cart" {
		t.Errorf("after a restart, with a new key: %s", got)
	}
	end(two)

	commandtest.Write(t, keys, key("b"))
	three := commandtest.Start(t, "run", "-c", path)
	if got := ask(three, "/cart"); !strings.HasPrefix(got, "503") {
		t.Errorf("without the old key, and with the provider away: %s", got)
	}
	written, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(written), "/oauth2/callback") {
		t.Fatalf("%s, %v", written, err)
	}
	if strings.Count(string(written), "code=") != strings.Count(string(written), "code=REDACTED") {
		t.Errorf("the access log holds the code: %s", written)
	}
}
