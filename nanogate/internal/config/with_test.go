package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What stands elsewhere comes after the file's own, is read like it, and is no part of
// what changes.
func TestWith(t *testing.T) {
	for _, test := range []struct{ name, file, more, want string }{
		{"both", "listen: 127.0.0.1:1\nroutes: [{name: a, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n", `{"routes":[{"name":"b","to":"v"}],"upstreams":{"v":{"endpoints":["127.0.0.1:2"]}}}`, "a b u v"},
		{"neither in the file", "listen: 127.0.0.1:1\nkubernetes: {gateway: web}\n", `{"routes":[{"name":"b","to":"v"}],"upstreams":{"v":{"endpoints":["127.0.0.1:2"]}}}`, "b v"},
		{"nothing more", "listen: 127.0.0.1:1\nroutes: [{name: a, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n", `{"routes":[],"upstreams":{}}`, "a u"},
		{"to the file's", "listen: 127.0.0.1:1\nroutes: [{name: a, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n", `{"routes":[{"name":"b","to":"u"}],"upstreams":{}}`, "a b u"},
		{"a name twice", "listen: 127.0.0.1:1\nroutes: [{name: a, to: u}]\nupstreams: {u: [\"127.0.0.1:1\"]}\n", `{"routes":[{"name":"a","to":"u"}],"upstreams":{}}`, `f.yaml: routes[1]: the name "a" is another route's`},
		{"a star that is one", "listen: 127.0.0.1:1\nkubernetes: {gateway: web}\n", `{"routes":[{"name":"b","match":{"headers":{"x":{"is":"a*"}}},"respond":{}}]}`, "b"},
	} {
		c, err := Parse("f.yaml", []byte(test.file))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		c.Admin.Address = "127.0.0.1:3"
		with, err := c.With([]byte(test.more))
		var problems Problems
		got := ""
		switch {
		case errors.As(err, &problems):
			got = problems[0].String()
		case err != nil:
			got = err.Error()
		default:
			var names []string
			for _, r := range with.Routes {
				names = append(names, r.Name)
			}
			for _, u := range with.Upstreams {
				names = append(names, u.Name)
			}
			got = strings.Join(names, " ")
			if changes := Diff(c, with); len(changes) > 0 {
				t.Errorf("%s: %v", test.name, changes)
			}
			if len(with.Sums) != len(with.Routes) || with.Admin != c.Admin {
				t.Errorf("%s: %+v", test.name, with)
			}
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if again, err := c.With([]byte(test.more)); fmt.Sprint(err) == "<nil>" && len(again.Routes) != len(with.Routes) {
			t.Errorf("%s: the file's document was changed", test.name)
		}
	}
}

func TestKubernetesRoutes(t *testing.T) {
	c, err := Parse("/conf/f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: {gateway: [web, shop/web], controller: example.com/x, addresses: [192.0.2.1, a.example], kubeconfig: k}\n"))
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kubernetes
	if got, want := fmt.Sprint(k.Gateways, k.Controller, k.Addresses, k.Cluster.Kubeconfig), "[{ web} {shop web}]example.com/x[192.0.2.1 a.example]/conf/k"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s, want %s", got, want)
	}
	for text, want := range map[string]string{
		"{}":                                 "kubernetes: kubernetes needs gateway: whose routes are served",
		"{gateway: Web}":                     `kubernetes.gateway: expected NAME or NAMESPACE/NAME, got "Web"`,
		"{gateway: a/b/c}":                   `kubernetes.gateway: expected NAME or NAMESPACE/NAME, got "a/b/c"`,
		"{gateway: web, controller: x}":      `kubernetes.controller: expected what a GatewayClass has as controllerName`,
		"{gateway: web, addresses: [\"/\"]}": `kubernetes.addresses[0]: expected an IP address or a host name, got "/"`,
		"{gateway: web, priority: x}":        "kubernetes.priority: expected",
		"{gateway: web, context: x}":         "kubernetes.context: a context is one of a kubeconfig file",
	} {
		if _, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: "+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A route of the file before which none of the Gateway is tried is told.
func TestHintsOfKubernetes(t *testing.T) {
	for text, want := range map[string]string{
		"{gateway: web}\nroutes: [{name: web, respond: {}}]":                          "f.yaml:3:10: routes[0]: web takes all requests before any route of the Gateway, which have priority -1 (give it priority: -2, or narrow its match)",
		"{gateway: web, priority: 0}\nroutes: [{name: web, respond: {}}]":             "",
		"{gateway: web}\nroutes: [{name: web, priority: -2, respond: {}}]":            "",
		"{gateway: web}\nroutes: [{name: web, match: {host: a.test}, respond: {}}]":   "",
		"{gateway: web}\nroutes: [{name: web, match: {path: \"/a/*\"}, respond: {}}]": "",
	} {
		c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:1\nkubernetes: "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if hints := c.Hints(); len(hints) > 0 {
			got = hints[0].String()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
