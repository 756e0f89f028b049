package gatewayapi

import (
	"fmt"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// Listeners are told from each other by their ports where the file listens on all of these.
func TestPorts(t *testing.T) {
	listeners := gatewayText(`{"name":"a","port":80,"protocol":"HTTP"}`, `{"name":"b","port":8080,"protocol":"HTTP"}`, `{"name":"c","port":443,"protocol":"HTTPS","hostname":"c.example"}`)
	route := func(parents string) string {
		return strings.Replace(routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`), `[{"name":"web"}]`, "["+parents+"]", 1)
	}
	const conflict = "Accepted False PortUnavailable: listener a has the same protocol and hostname"
	for _, test := range []struct {
		name, parents string
		ports         []int32
		routes, b     string // what is said of the listener b
	}{
		{"all", `{"name":"web"}`, []int32{80, 443, 8080}, "r/0.0@http@80 http 80 []|r/0.0@http@8080 http 8080 []|r/0.0@https https 0 [c.example]", ""},
		{"by port", `{"name":"web","port":8080}`, []int32{80, 443, 8080}, "r/0.0@http@8080 http 8080 []", ""},
		{"by name", `{"name":"web","sectionName":"a"}`, []int32{80, 443, 8080}, "r/0.0@http@80 http 80 []", ""},
		{"no such port", `{"name":"web","sectionName":"a","port":8080}`, []int32{80, 443, 8080}, "", ""},
		{"other ports", `{"name":"web"}`, []int32{8080, 8443}, "r/0.0@http http 0 []|r/0.0@https https 0 [c.example]", conflict},
		{"no ports", `{"name":"web"}`, nil, "r/0.0@http http 0 []|r/0.0@https https 0 [c.example]", conflict},
	} {
		s := settings()
		s.Secure, s.Ports = true, test.ports
		made := translated(t, objects(t, listeners, route(test.parents)), s)
		var got []string
		for _, r := range made.Addition.Routes {
			got = append(got, fmt.Sprint(strings.TrimPrefix(r.Name, "shop/"), " ", r.Match.Scheme, " ", r.Match.Port, " ", r.Match.Hosts))
		}
		if strings.Join(got, "|") != test.routes {
			t.Errorf("%s: got %q, want %q", test.name, got, test.routes)
		}
		b := said(made.Gateways[Name{Namespace: "shop", Name: "web"}].Listeners[1].Conditions)
		if !strings.HasPrefix(b, test.b) || test.b == "" && b != "" {
			t.Errorf("%s: of the listener b is said %q, want %q", test.name, b, test.b)
		}
	}
}

// Where all that comes is from one listener's port, nothing is said of ports.
func TestOnePort(t *testing.T) {
	s := settings()
	s.Ports = []int32{80, 9000}
	made := translated(t, objects(t, routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`)), s)
	if got, want := routesOf(t, made), `{"match":{"path":"/*","rank":1000},"to":{"kubernetes.shop.users.80":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPortsOfFile(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:8080": "[8080]", `[":80", {address: ":443", tls: false}, "[::1]:80"]`: "[80 443]", "127.0.0.1:0": "[]",
	} {
		c, err := config.Parse("f.yaml", []byte("listen: "+text+"\nroutes: [{respond: {}}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(Ports(c)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
