package config

import (
	"strings"
	"testing"
)

// What an address that redirects may say, and what can't be told apart.
func TestToHTTPS(t *testing.T) {
	const tls, routes = "tls: {certificates: [{cert: c, key: k}]}\n", "routes: [{to: \"http://127.0.0.1:1\"}]\n"
	for listen, want := range map[string]string{
		`[":443", {address: ":80", redirect: https}]`:                                                      "",
		`[":443", {address: ":80", redirect: {port: 8443, status: 301}}]`:                                  "",
		`[":443", {address: "127.0.0.1:80", redirect: https}, {address: "127.0.0.2:80", redirect: https}]`: "",
		`[":443", {address: ":80", redirect: http}]`:                                                       "listen[1].redirect: \"http\" is not one of the choices",
		`[":443", {address: ":80", redirect: https, tls: true}]`:                                           "clients of an address with TLS are at https already (remove tls, or the redirect)",
		`[":443", {address: ":0", redirect: https}]`:                                                       "an address that redirects needs a port",
		`[":443", {address: "127.0.0.1:80", redirect: https}, {address: "127.0.0.2:80", tls: false}]`:      "has port 80 redirect in another way",
		`[":443", {address: ":80", redirect: {status: 303}}]`:                                              "expected 301, 302, 307 or 308, got 303",
	} {
		c, err := Parse("f.yaml", []byte("listen: "+listen+"\n"+tls+routes))
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", listen, err, want)
		case want == "" && (c.HTTPSOf(80) == nil || c.HTTPSOf(443) != nil || c.Listen[1].TLS != nil || c.Listen[0].TLS == nil):
			t.Errorf("%s: %+v", listen, c.ToHTTPS)
		}
	}
}

// A redirect to https by a route is passed by routes that are more specific: that is told.
func TestHints(t *testing.T) {
	const to = ", to: \"http://127.0.0.1:1\"}\n"
	redirect := func(more string) string {
		return "  - {" + more + "match: {scheme: http}, redirect: \"https://{hostname}{path}{query}\"}\n"
	}
	for name, c := range map[string]struct{ routes, want string }{
		"a host":      {redirect("name: up, ") + "  - {name: api, match: {host: a.example}" + to, "f.yaml:3:5: routes[0]: api is more specific than this redirect to https, so that clients reach it in the clear (to send all"},
		"a path":      {redirect("") + "  - {name: api, match: {path: \"/v1/*\"}" + to + "  - {name: b, match: {host: b}" + to, "api, b are more specific than this redirect"},
		"first":       {redirect("priority: 1000, ") + "  - {match: {host: a.example}" + to, ""},
		"over https":  {redirect("") + "  - {match: {host: a.example, scheme: https}" + to, ""},
		"as specific": {redirect("") + "  - {name: all" + to, ""},
		"none":        {"  - {match: {host: a.example}" + to, ""},
	} {
		config, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes:\n"+c.routes))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		hints := config.Hints()
		got := ""
		if len(hints) > 0 {
			got = hints[0].String()
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A redirect to a port at which nothing listens with TLS is right only if that port leads
// to one that does: that is told.
func TestHintsAtThePortOfHTTPS(t *testing.T) {
	for listen, want := range map[string]string{
		`[":443", {address: ":80", redirect: https}]`:                                 "",
		`[":8443", {address: ":80", redirect: {port: 8443}}]`:                         "",
		`[":8443", {address: ":80", redirect: https}]`:                                "f.yaml:1:46: listen[1].redirect: clients are sent to https at port 443, where no address of the file listens with TLS",
		`[{address: ":443", tls: false}, {address: ":80", redirect: https}, ":8443"]`: "at port 443",
	} {
		c, err := Parse("f.yaml", []byte("listen: "+listen+"\ntls: {certificates: [{cert: c, key: k}]}\nroutes: [{to: \"http://127.0.0.1:1\"}]\n"))
		if err != nil {
			t.Errorf("%s: %v", listen, err)
			continue
		}
		hints := c.Hints()
		got := ""
		if len(hints) > 0 {
			got = hints[0].String()
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) && !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", listen, got, want)
		}
	}
}
