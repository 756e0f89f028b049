//go:build linux

package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/commandtest"
)

const ordered = `listen: [127.0.0.1:0, 127.0.0.2:0]
routes:
  - {name: any, respond: {}}
  - {name: secured, match: {scheme: http}, redirect: "https://{hostname}{path}{query}"}
  - {name: port, match: {port: 8443, query: {a: b}}, respond: {}}
  - {name: path, match: {path: /a/b}, respond: {}}
  - {name: field, match: {path: /a/b, headers: {X: y}}, respond: {}}
  - {name: shop, match: {host: [shop.test, "*.shop.test"]}, respond: {}}
  - {name: once, match: {path: /once, methods: {is: POST}, rank: 3}, respond: {}}
  - {name: put, match: {host: put.test, path: /put, methods: [PUT]}, respond: {}}
  - {name: first, priority: 9, match: {path: /first}, respond: {}}
`

// Routes are listed in the order in which they are tried, with all that is asked of a
// request, whether the file is -c's or an argument.
func TestRoutesInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, ordered)
	want := strings.TrimSpace(`
ROUTE PRIORITY HOST PATH METHODS IF TO
first 9 * /first * - respond 200
put 0 put.test /put PUT - respond 200
shop 0 shop.test /* * - respond 200
shop 0 *.shop.test /* * - respond 200
field 0 * /a/b * x:y respond 200
path 0 * /a/b * - respond 200
once 0 * /once is POST rank=3 respond 200
port 0 * /* * port=8443 a=b respond 200
secured 0 * /* * scheme=http redirect 308
any 0 * /* * - respond 200`)
	for _, args := range [][]string{{"routes", path}, {"routes", "-c", path}, {"routes", "--config", path}} {
		out, errs, code := output(t, args...)
		var got []string
		for line := range strings.Lines(out) {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		// Paths that no request has in common are in any order: by what they begin with.
		if wanted := strings.Split(want, "\n"); code != 0 || errs != "" || !slices.Equal(sorted(got), sorted(wanted)) || slices.Index(got, wanted[5]) > slices.Index(got, wanted[6]) || !slices.Equal(got[:5], wanted[:5]) || !slices.Equal(got[8:], wanted[8:]) {
			t.Errorf("%q: %d %s\n%s", args, code, errs, strings.Join(got, "\n"))
		}
	}
}

func sorted(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

func TestRouteOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, ordered)
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"https://h/"}, 0, []string{"any takes it: respond 200 (" + path + ":3)", "secured 0 * /* passed over: the scheme is https, not http", "port 0 * /* passed over: the port is 443, not 8443", "path 0 * /a/b passed over: the path is /"}},
		{[]string{"http://shop.test/x"}, 0, []string{"shop takes it", "secured 0 * /* would take it, but comes later: its host is less specific"}},
		{[]string{"GET", "http://www.shop.test:80/x"}, 0, []string{"shop 0 *.shop.test /* takes it"}},
		{[]string{"http://127.0.0.1:8080/x", "-H", "Host: shop.test"}, 0, []string{"shop takes it"}},
		{[]string{"https://h/a/b", "-H", "X: y"}, 0, []string{"field takes it", "path 0 * /a/b would take it, but comes later: it has fewer conditions", "any 0 * /* would take it, but comes later: its path is less specific"}},
		{[]string{"https://h/a/b"}, 0, []string{"path takes it", "field 0 * /a/b passed over: there is no field x"}},
		{[]string{"https://h/c/../a//%62"}, 0, []string{"/c/../a//%62 is /a/b to all that follows", "path takes it"}},
		{[]string{"https://h:8443/?a=b"}, 0, []string{"port takes it"}},
		{[]string{"https://h/?a=b", "--port", "8443"}, 0, []string{"port takes it"}},
		{[]string{"https://shop.test/first"}, 0, []string{"first takes it", "shop 0 shop.test /* would take it, but comes later: its priority is lower"}},
		{[]string{"https://h/once"}, 0, []string{"any takes it", "once 0 * /once passed over: the method is GET, not just POST"}},
		{[]string{"https://h/a%2fb"}, exitFailed, []string{"refused: 400, the path holds an escaped slash"}},
	} {
		for _, args := range [][]string{slices.Concat([]string{"route", "-c", path}, c.args), slices.Concat([]string{"route", path}, c.args)} {
			out, errs, code := output(t, args...)
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range c.says {
				if code != c.code || !strings.Contains(out, want) {
					t.Errorf("%q: %d %s\n%s\nwant %s", c.args, code, errs, out, want)
				}
			}
		}
	}
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes: [{match: {host: put.test, path: /put, methods: [PUT]}, respond: {}}]\n")
	for url, want := range map[string]string{"http://put.test/put": "no route takes it: 405", "http://h/put": "no route takes it: 404"} {
		if out, errs, code := output(t, "route", "-c", path, url); code != exitFailed || !strings.Contains(out, want) || !strings.Contains(errs, "no route takes it") {
			t.Errorf("%s: %d %s%s", url, code, out, errs)
		}
	}
}

// At an address that sends its clients to https no route is tried, which both say.
func TestRoutesBehindARedirectToHTTPS(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, "listen: [\":443\", {address: \":80\", redirect: https}]\ntls: {certificates: [{cert: c, key: k}]}\nready: /ready\nroutes: [{name: shop, match: {host: shop.test}, respond: {}}]\n")
	for url, want := range map[string]string{
		"http://shop.test/x":      "no route is tried: 308, clients of port 80 are sent to https (" + path + ":1)",
		"https://shop.test/x":     "shop takes it",
		"http://shop.test:8080/x": "shop takes it",
		"http://shop.test/ready":  "the gateway responds itself",
	} {
		if out, errs, code := output(t, "route", path, url); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s, want %q", url, code, out, errs, want)
		}
	}
	if out, errs, code := output(t, "routes", path); code != 0 || !strings.Contains(out, "Clients of port 80 are sent to https (308) before any route is tried.") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// Each command that takes a file takes it in both ways.
func TestFilesInBothWays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes: [{respond: {body: fine}}]\n")
	for _, args := range [][]string{{"check", path}, {"check", "-c", path}, {"check", path, "-c", path}} {
		if out, errs, code := output(t, args...); code != 0 || out != path+": OK: 1 route, 0 upstreams\n" {
			t.Errorf("%q: %d %s%s", args, code, out, errs)
		}
	}
	for _, args := range [][]string{{"diff", path}, {"diff", "-c", path}, {"apply", "-c", path}} {
		if _, errs, code := output(t, append(args, "--admin", "127.0.0.1:1")...); code != exitFailed || !strings.Contains(errs, "no gateway responds") {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
	for _, args := range [][]string{{"run", path}, {"run", "-c", path}} {
		g := commandtest.Start(t, args...)
		if got := g.Get(t, "/"); got != "200 fine" {
			t.Errorf("%q: %s", args, got)
		}
	}
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes: [{respond: {bodi: fine}}]\n")
	if _, errs, code := output(t, "check", path); code != exitConfig || !strings.HasSuffix(errs, ": 1 error\n") {
		t.Errorf("%d %s", code, errs)
	}
}
