//go:build linux

package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/commandtest"
)

// What mirroring found, and how a canary fares, is told in a terminal; a canary is rolled
// back and resumed there.
func TestMirrorsAndCanaries(t *testing.T) {
	serving := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	first, second := serving(200, `{"id":1}`), serving(203, `{"id":2}`)
	dir := t.TempDir()
	path, socket := filepath.Join(dir, "a.yaml"), "unix:"+filepath.Join(dir, "admin")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes: [{name: a, to: \"http://"+first+"\", canary: {to: \"http://"+first+"\", weight: 50%}, mirror: {to: \"http://"+second+"\", timeout: 10m, compare: {json: [$]}}}]\n")
	g := commandtest.Start(t, "run", "-c", path, "--admin", socket)
	g.Says(t, "msg=admin")
	tell := func(want int, parts []string, args ...string) {
		t.Helper()
		out, errs, code := output(t, append(args, "--admin", socket)...)
		for _, part := range parts {
			if code != want || !strings.Contains(out+errs, part) {
				t.Errorf("%q: %d %q %q, want %d and %q", args, code, out, errs, want, part)
			}
		}
	}
	if got := g.Get(t, "/x?token=s3cret"); got != `200 {"id":1}` {
		t.Error(got)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if out, _, _ := output(t, "mirrors", "--json", "--admin", socket); strings.Contains(out, `"different":1`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was mirrored")
		}
	}
	tell(0, []string{"a: status (1), json $ (1)", "GET ", "/x?token=REDACTED  200, 203", "status: 200, 203", "json $.id: 1, 2"}, "mirrors")
	tell(exitUsage, []string{"--samples: expected 0 or more"}, "mirrors", "--samples", "-1")
	tell(0, []string{"a  ", "running", "50 %"}, "canaries")
	tell(0, []string{"rolled-back", "by hand"}, "canaries", "roll-back", "a")
	tell(0, []string{"running"}, "canaries", "resume", "a")
	tell(exitFailed, []string{"there is no canary of a route of that name"}, "canaries", "resume", "b")
	tell(exitUsage, []string{"expected nothing, resume ROUTE or roll-back ROUTE"}, "canaries", "resume")
}
