//go:build linux

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/commandtest"
)

// The filters of the route that takes a request are listed in the order in which the request
// comes to them, whatever order the file has them in.
func TestExplain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, `listen: 127.0.0.1:0
routes:
  - {name: shop, match: {path: "/shop/*"}, breaker: {errors: 50%}, cache: {}, request-id: on, allow: 10.0.0.0/8, limit: {rate: 1/s}, to: u}
  - {name: bare, match: {path: /bare}, retry: {attempts: 1}, to: u}
upstreams: {u: ["127.0.0.1:1"]}
`)
	none := filepath.Join(t.TempDir(), "none.yaml")
	commandtest.Write(t, none, "listen: 127.0.0.1:0\nroutes: [{retry: {attempts: 1}, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n")
	for _, c := range []struct {
		path string
		url  string
		code int
		ends string
	}{
		{path, "http://h/shop/1", 0, "PHASE FILTER SLOTS|access access check|access request-id check|limits rate check|limits breaker check|content invalidate content, begin|content cache content, head, begin, download, refusal, break, end|forwarding retry tries"},
		{path, "http://h/bare", 0, "PHASE FILTER SLOTS|content invalidate content, begin"},
		{none, "http://h/", 0, "The request is sent on as it is: the route has no filters."},
		{path, "http://h/none", 1, "bare 0 * /bare passed over: the path is /none"},
	} {
		out, errs, code := output(t, "explain", "-c", c.path, c.url)
		var lines []string
		for line := range strings.Lines(out) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		if got := strings.Join(lines, "|"); code != c.code || !strings.HasSuffix(got, c.ends) {
			t.Errorf("%s: %d %s\n%s", c.url, code, errs, out)
		}
	}
}
