//go:build linux

package command

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/commandtest"
)

// registry is a Consul that says what it is told to; to every question at once.
func registry(t *testing.T, address string, port uint16, socket string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/agent/self" {
			fmt.Fprint(w, `{"Config":{"Datacenter":"dc1","NodeName":"n1"}}`)
			return
		}
		w.Header().Set("X-Consul-Index", "1")
		fmt.Fprintf(w, `[{"Node":{"Node":"n1","Datacenter":"dc1","Address":"10.0.0.9"},"Service":{"ID":"evil","Address":%q,"Port":%d,"SocketPath":%q}}]`, address, port, socket)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Whoever registers an instance can't make the gateway's clients its administrators, and
// neither can a route that leads to the admin address, whatever it strips from requests.
func TestNobodyAsksTheAdminThroughTheGateway(t *testing.T) {
	dir := t.TempDir()
	socket, at := filepath.Join(dir, "admin.sock"), freeport.Address(t)
	own := netip.MustParseAddrPort(at)
	consul := func(fields string, port uint16, path string) string {
		return "{consul: {service: users, address: \"" + registry(t, own.Addr().String(), port, path) + "\"" + fields + "}}"
	}
	for name, tt := range map[string]struct{ admin, upstream, wrong string }{
		"an instance at the admin's port":            {at, consul("", own.Port(), ""), "an address of the gateway itself"},
		"an instance at its socket":                  {"unix:" + socket, consul("", 0, socket), "unix sockets such as"},
		"an instance at its socket, which are taken": {"unix:" + socket, consul(", sockets: true", 0, socket), "an address of the gateway itself"},
		"a route to its port":                        {at, "{endpoints: [\"" + at + "\"]}", ""},
		"a route to its socket":                      {"unix:" + socket, "{endpoints: [\"unix:" + socket + "\"]}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.yaml")
			commandtest.Write(t, path, "listen: 127.0.0.1:0\nadmin: \""+tt.admin+"\"\nroutes:\n  - to: users\n    request-headers: {remove: [x-forwarded-for, x-forwarded-proto, x-forwarded-host, via, forwarded]}\nupstreams: {users: "+tt.upstream+"}\n")
			g := commandtest.Start(t, "run", "-c", path)
			g.Says(t, "msg=admin")
			for _, method := range []string{"GET", "PUT"} {
				req, err := http.NewRequest(method, "http://"+g.Address+"/config", strings.NewReader("listen: 127.0.0.1:0\nroutes: [{respond: {body: OWNED}}]\n"))
				if err != nil {
					t.Fatal(err)
				}
				req.Host = "localhost"
				req.Header.Set("Content-Type", "application/yaml")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != 502 && resp.StatusCode != 503 {
					t.Errorf("%s through the gateway: %d %s", method, resp.StatusCode, body)
				}
			}
			if out, errs, code := output(t, "diff", path, "--admin", tt.admin); code != 0 {
				t.Errorf("directly: %d %s%s", code, out, errs)
			}
			if tt.wrong == "" {
				return
			}
			until(t, func() string {
				asked, err := (&adminFlags{address: tt.admin}).client()
				if err != nil {
					t.Fatal(err)
				}
				var all []struct{ Sources []struct{ Wrong []string } }
				if err := asked.get(t.Context(), "/upstreams", &all); err != nil || len(all) != 1 || len(all[0].Sources) != 1 || !strings.Contains(strings.Join(all[0].Sources[0].Wrong, " "), tt.wrong) {
					return fmt.Sprint(all, err)
				}
				return ""
			})
		})
	}
}

// until waits until nothing is told any more of what is wrong.
func until(t *testing.T, wrong func() string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text := wrong()
		if text == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(text)
		}
	}
}
