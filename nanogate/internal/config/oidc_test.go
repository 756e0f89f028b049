package config

import (
	"strings"
	"testing"
	"time"
)

const overTLS = "listen: 127.0.0.1:0\ntls: {certificates: [{cert: c, key: k}]}\nroutes:\n"

// What is said of logins is read, with defaults for the rest.
func TestOIDC(t *testing.T) {
	c, err := Parse("f.yaml", []byte(overTLS+"  - {oidc: &login {issuer: \"https://id.example\", client-id: app, client-secret: ./s, keys: ./k, scopes: [profile, openid], forward: {X-User: sub}}, identity: {x-user-id: oidc.email}, to: \"http://127.0.0.1:1\"}\n"+
		"  - {match: {path: \"/api/*\"}, oidc: *login, csrf: off, to: \"http://127.0.0.1:1\"}\n"+
		"  - {match: {path: \"/hook\"}, introspect: {url: \"https://id.example/i\", client-id: app, client-secret: ./s}, identity: {x-user-id: introspect.sub}, to: \"http://127.0.0.1:1\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, b, i := c.Routes[0].OIDC, c.Routes[1].OIDC, c.Routes[2].Introspect
	if a.OIDCClient != b.OIDCClient || a.Scopes != "openid profile" || a.Callback != "/oauth2/callback" || a.Session != 12*time.Hour || !strings.HasPrefix(a.Cookie, "oidc-") {
		t.Errorf("%+v, %+v", a.OIDCClient, b.OIDCClient)
	}
	if len(a.Forward) != 2 || a.Forward[0] != (Claim{"sub", "x-user", false}) || a.Forward[1] != (Claim{"email", "x-user-id", true}) || len(b.Forward) != 1 {
		t.Errorf("%v, %v", a.Forward, b.Forward)
	}
	if c.Routes[0].CSRF == nil || c.Routes[1].CSRF != nil {
		t.Errorf("csrf: %v, %v", c.Routes[0].CSRF, c.Routes[1].CSRF)
	}
	if len(i.Forward) != 1 || i.Keep != time.Minute || i.Timeout != 5*time.Second {
		t.Errorf("%+v", i)
	}
}

// What could let in somebody, or nobody, is refused with its place.
func TestOIDCProblems(t *testing.T) {
	const to, good = ", to: \"http://127.0.0.1:1\"}\n", "issuer: \"https://id.example\", client-id: app, keys: ./k"
	route := func(text string) string { return overTLS + "  - {" + text + to }
	for name, c := range map[string]struct{ src, want string }{
		"nothing":        {route("oidc: {}"), "f.yaml:4:12: routes[0].oidc: oidc needs issuer (such as issuer: https://id.example)"},
		"no keys":        {route("oidc: {issuer: \"https://id.example\", client-id: a}"), "oidc needs keys (such as keys: ./cookie-keys, a file written by: openssl rand -base64 32)"},
		"plain http":     {route("oidc: {issuer: \"http://id.example\", client-id: a, keys: ./k}"), "f.yaml:4:21: routes[0].oidc.issuer: plain http is taken for this machine's own addresses only: on the way anybody could respond (write https://)"},
		"a secret":       {route("oidc: {" + good + ", client-secret: s3cr3t}"), "routes[0].oidc.client-secret: expected the file that holds it, with / or ./ at its beginning"},
		"no TLS":         {"listen: 127.0.0.1:0\nroutes:\n  - {oidc: {" + good + "}" + to, "f.yaml:3:12: routes[0].oidc: no address speaks TLS, and browsers send the session's cookies over nothing else (add tls,"},
		"by name":        {"listen: 127.0.0.1:0\nroutes:\n  - {oidc: {" + good + ", insecure: true}" + to, ""},
		"a proxy's TLS":  {"listen: 127.0.0.1:0\ntrust: 127.0.0.1\nroutes:\n  - {oidc: {" + good + "}" + to, ""},
		"no callback":    {route("match: {path: \"/app/*\"}, oidc: {" + good + "}"), "f.yaml:4:37: routes[0].oidc: callback is /oauth2/callback, and no route with this oidc matches that"},
		"a callback":     {route("match: {path: \"/{app}/*\"}, oidc: {" + good + "}"), ""},
		"of another":     {route("match: {path: \"/oauth2/*\"}, oidc: {"+good+"}") + "  - {match: {path: \"/app\"}, oidc: {" + good + "}" + to, ""},
		"said otherwise": {route("oidc: {"+good+"}") + "  - {match: {path: \"/app/*\"}, oidc: {" + good + ", session: 1h}" + to, "f.yaml:5:37: routes[1].oidc: routes that share a session say the same of it, and line 4 says something else"},
		"another cookie": {route("oidc: {"+good+"}") + "  - {match: {host: b}, oidc: {" + good + ", session: 1h, cookie: b}" + to, ""},
		"taken":          {route("oidc: {"+good+"}") + "  - {name: other, match: {path: \"/oauth2/*\"}" + to, "f.yaml:4:12: routes[0].oidc: callback is /oauth2/callback, and route other takes that: its upstream would be sent"},
		"taken above":    {route("match: {path: \"/oauth2/*\"}, oidc: {"+good+"}") + "  - {name: other, priority: 1, match: {methods: [GET]}" + to, "callback is /oauth2/callback, and route other takes that"},
		"taken by host":  {route("match: {host: \"a.example\"}, oidc: {"+good+"}") + "  - {name: other, match: {host: \"*.example\", path: \"/oauth2/callback\"}" + to, ""},
		"taken there":    {route("match: {host: \"*.example\"}, oidc: {"+good+", origin: \"https://a.example\"}") + "  - {name: other, match: {host: \"a.example\", path: \"/oauth2/login\"}" + to, "login is /oauth2/login, and route other takes that"},
		"by a parameter": {route("match: {path: \"/{app}/*\"}, oidc: {"+good+"}") + "  - {match: {path: \"/*\"}" + to, ""},
		"by its client":  {route("oidc: {"+good+"}") + "  - {match: {path: \"/oauth2/*\"}, oidc: {" + good + "}" + to, ""},
		"another host":   {route("match: {host: a}, oidc: {"+good+"}") + "  - {match: {host: b, path: \"/oauth2/*\"}" + to, ""},
		"POST only":      {route("oidc: {"+good+"}") + "  - {match: {path: \"/oauth2/*\", methods: [POST]}" + to, ""},
		"POST too":       {route("oidc: {"+good+", back-channel-logout: /oauth2/back}") + "  - {name: posts, match: {path: \"/oauth2/*\", methods: [POST]}" + to, "back-channel-logout is /oauth2/back, and route posts takes that"},
		"no GET":         {route("match: {methods: [POST]}, oidc: {" + good + "}"), "callback is /oauth2/callback, and no route with this oidc matches that"},
		"one cookie":     {route("match: {path: \"/one/*\"}, oidc: {"+good+", cookie: s, callback: /one/cb, login: /one/l, logout: /one/o}") + "  - {match: {path: \"/two/*\"}, oidc: {issuer: \"https://id.example\", client-id: two, keys: ./k, cookie: s, callback: /two/cb, login: /two/l, logout: /two/o}" + to, "routes[1].oidc: the cookie s is that of another client, of route route-1"},
		"a part of it":   {route("match: {path: \"/one/*\"}, oidc: {"+good+", cookie: s, callback: /one/cb, login: /one/l, logout: /one/o}") + "  - {match: {path: \"/two/*\"}, oidc: {issuer: \"https://id.example\", client-id: two, keys: ./k, cookie: s-1, callback: /two/cb, login: /two/l, logout: /two/o}" + to, "the cookie s-1 is that of another client"},
		"at other hosts": {route("match: {host: a}, oidc: {"+good+", cookie: s}") + "  - {match: {host: b}, oidc: {issuer: \"https://id.example\", client-id: two, keys: ./k, cookie: s}" + to, ""},
		"the same path":  {route("oidc: {" + good + ", login: /oauth2/logout}"), "callback, login, logout and back-channel-logout are different paths"},
		"a pattern":      {route("oidc: {" + good + ", callback: \"/a/*\"}"), "routes[0].oidc.callback: expected a path without patterns"},
		"elsewhere":      {route("oidc: {" + good + ", after-logout: \"//evil.example\"}"), "routes[0].oidc.after-logout: expected an https URL"},
		"a scope":        {route("oidc: {" + good + ", scopes: \"a b\"}"), `routes[0].oidc.scopes: expected a scope, got "a b" (such as [profile, email])`},
		"stored":         {route("cache: {}, oidc: {" + good + "}"), "routes[0].cache: the upstream knows who asks by oidc"},
		"stored too":     {route("cache: {}, introspect: {url: \"https://i\", client-id: a, client-secret: ./s}"), "routes[0].cache: the upstream knows who asks by introspect"},
		"introspect":     {route("introspect: {client-id: a, client-secret: ./s}"), "f.yaml:4:18: routes[0].introspect: introspect needs url (such as url: https://id.example/oauth2/introspect)"},
		"basic":          {route("basic: {file: f}, introspect: {url: \"https://i\", client-id: a, client-secret: ./s}"), "basic and introspect both want to be what Authorization holds"},
		"identity":       {route("identity: {x-user-id: oidc.sub}"), "x-user-id is to come from oidc.sub, and nothing on this route verifies that (add oidc to the route)"},
		"csrf":           {route("csrf: {trust: [\"app.example\"]}"), `routes[0].csrf.trust[0]: expected an origin, got "app.example"`},
		"csrf alone":     {route("csrf: {}"), ""},
		"back channel":   {route("oidc: {" + good + ", back-channel-logout: /oauth2/ended, redis: {address: \"127.0.0.1:6379\", tls: true, password: ./p}}"), ""},
		"nobody tells":   {route("oidc: {" + good + ", redis: \"127.0.0.1:6379\"}"), "routes[0].oidc.redis: gateways tell each other by redis of logouts, and the provider tells none of them (add: back-channel-logout:"},
		"as limits":      {route("oidc: {" + good + ", back-channel-logout: /ended, redis: {address: \"127.0.0.1:6379\", away: all}}"), "routes[0].oidc.redis.away: logouts are told at once"},
		"nowhere":        {route("match: {path: \"/oauth2/*\"}, oidc: {" + good + ", back-channel-logout: /ended}"), "back-channel-logout is /ended, and no route with this oidc matches that"},
		"an authority":   {route("oidc: {" + good + ", tls: {ca: ./ca.pem, server-name: id, cert: ./c.pem, key: ./k.pem}}"), ""},
		"half of it":     {route("oidc: {" + good + ", tls: {cert: ./c.pem}}"), "routes[0].oidc.tls: a certificate is two files, cert and key"},
		"unverified":     {route("oidc: {" + good + ", tls: {insecure: true}}"), "routes[0].oidc.tls: who is asked about identities is verified: otherwise whoever is on the way could let in anybody (name who signs its certificate: tls: {ca: ./ca.pem})"},
		"not over TLS":   {route("oidc: {issuer: \"http://localhost\", client-id: app, keys: ./k, tls: {ca: ./ca.pem}}"), "routes[0].oidc.tls: tls is for an https URL, and issuer is none (remove it)"},
		"keys of a file": {route("jwt: {jwks: ./keys.json, tls: {ca: ./ca.pem}}"), "routes[0].jwt.tls: tls is for an https URL, and jwks is none"},
		"keys by TLS":    {route("jwt: {jwks: \"https://id.example/keys\", tls: {ca: ./ca.pem}}"), ""},
		"a word":         {route("introspect: {url: \"https://i\", client-id: a, client-secret: ./s, tls: {c: ./ca.pem}}"), "routes[0].introspect.tls.c: unknown field"},
		"other TLS":      {route("oidc: {"+good+"}") + "  - {match: {path: \"/app/*\"}, oidc: {" + good + ", tls: {ca: ./ca.pem}}" + to, "routes that share a session say the same of it"},
	} {
		_, err := Parse("f.yaml", []byte(c.src))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: the message holds a secret: %v", name, err)
		}
	}
}

// What is written where a file should be named isn't shown.
func TestClientSecretIsMasked(t *testing.T) {
	const text = "oidc: {client-secret: s3cr3t, keys: ./k}, introspect: {client-secret: ./secret}"
	got := masked("", "{"+text+"}")
	if strings.Contains(got, "s3cr3t") || !strings.Contains(got, "./secret") || !strings.Contains(got, "./k") {
		t.Error(got)
	}
}

func TestPatternCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		covers        bool
	}{
		{"/*", "/a/b", true}, {"/*", "/", true}, {"/a/*", "/a", true}, {"/a/*", "/a/", true}, {"/a/*", "/a/b/c", true}, {"/a/*", "/ab", false},
		{"/a*", "/abc", true}, {"/a*", "/a", true}, {"/a", "/a", true}, {"/a", "/a/", false}, {"/a", "/ab", false}, {"/ab", "/a", false},
		{"/{x}", "/a", true}, {"/{x}", "/", false}, {"/{x}", "/a/b", false}, {"/{x}/b", "/a/b", true}, {"/{x}/b", "/a/c", false}, {"/{x}/*", "/a/b/c", true},
		{"/{x}/*", "/a", true}, {"", "/a", true},
	} {
		if got := (Pattern{Text: c.pattern}).covers(c.path); got != c.covers {
			t.Errorf("%q, %q: %v", c.pattern, c.path, got)
		}
	}
}

// Whoever writes that a guard is on has it, also where nothing else asks for it.
func TestCSRFIsOn(t *testing.T) {
	for text, want := range map[string]bool{"csrf: on": true, "csrf: {}": true, "csrf: off": false, "name: none": false} {
		c, err := Parse("f", []byte("listen: 127.0.0.1:1\nroutes: [{"+text+", respond: {}}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if on := c.Routes[0].CSRF != nil; on != want {
			t.Errorf("%s: %v", text, on)
		}
	}
}
