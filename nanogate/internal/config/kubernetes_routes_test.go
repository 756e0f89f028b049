package config

import (
	"fmt"
	"strings"
	"testing"
)

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
