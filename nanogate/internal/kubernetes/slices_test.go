package kubernetes

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	discovery "k8s.io/api/discovery/v1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// shown is instances as these tests write them.
func shown(all []upstream.Instance) string {
	var b []string
	for _, in := range all {
		scheme := ""
		switch {
		case in.Address.HTTP2:
			scheme = "h2c://"
		case in.Address.TLS:
			scheme = "https://"
		}
		b = append(b, fmt.Sprintf("%s%s@%s", scheme, in.Address, in.Zone))
	}
	return strings.Join(b, " ")
}

func TestInstances(t *testing.T) {
	only := wanted{only: true}
	named := func(name string) wanted { return wanted{port: name} }
	family := func(f config.KubernetesFamily) wanted { return wanted{only: true, family: f} }
	const http = `,"ports":[{"name":"http","port":8080,"protocol":"TCP"}]`
	const two = `,"ports":[{"name":"http","port":8080,"protocol":"TCP"},{"name":"grpc","port":9090,"appProtocol":"kubernetes.io/h2c"},{"name":"dns","port":53,"protocol":"UDP"}]`
	pod := func(address, uid, conditions string) string {
		return `{"addresses":["` + address + `"],"conditions":{` + conditions + `},"targetRef":{"kind":"Pod","namespace":"shop","name":"` + uid + `","uid":"` + uid + `"}}`
	}
	v4 := func(ports string, endpoints ...string) string {
		return `{"addressType":"IPv4","endpoints":[` + strings.Join(endpoints, ",") + `]` + ports + `}`
	}
	v6 := func(ports string, endpoints ...string) string {
		return strings.Replace(v4(ports, endpoints...), "IPv4", "IPv6", 1)
	}
	for _, test := range []struct {
		name   string
		want   wanted
		slices []string
		made   string
		wrong  string // a part of it
	}{
		{"nothing", only, nil, "", ""},
		{"one without conditions", only, []string{v4(http, `{"addresses":["10.0.0.1"]}`)}, "10.0.0.1:8080@", ""},
		{"only the first address counts", only, []string{v4(http, `{"addresses":["10.0.0.1","10.0.0.2"],"zone":"a"}`)}, "10.0.0.1:8080@a", ""},
		{"several slices, in order", only, []string{v4(http, `{"addresses":["10.0.0.9"],"zone":"a"}`), v4(http, `{"addresses":["10.0.0.1"],"zone":"b"}`)}, "10.0.0.1:8080@b 10.0.0.9:8080@a", ""},
		{"one in two slices", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":false`)), v4(http, pod("10.0.0.1", "x", `"ready":true`))}, "10.0.0.1:8080@", ""},
		{"ports of their own", named("http"), []string{v4(http, `{"addresses":["10.0.0.1"]}`), v4(`,"ports":[{"name":"http","port":81}]`, `{"addresses":["10.0.0.2"]}`)}, "10.0.0.1:8080@ 10.0.0.2:81@", ""},
		{"not ready", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":true`), pod("10.0.0.2", "y", `"ready":false`))}, "10.0.0.1:8080@", ""},
		{"ending ones aren't asked", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":true`), pod("10.0.0.2", "y", `"ready":false,"serving":true,"terminating":true`))}, "10.0.0.1:8080@", ""},
		{"but if there are no others", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":false,"serving":false,"terminating":true`), pod("10.0.0.2", "y", `"ready":false,"serving":true,"terminating":true`))}, "10.0.0.2:8080@", ""},
		{"serving and not ending isn't ready", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":false,"serving":true`))}, "", ""},
		{"both families are one pod", only, []string{v4(http, pod("10.0.0.1", "x", "")), v6(http, pod("fd00::1", "x", ""), pod("fd00::2", "y", ""))}, "10.0.0.1:8080@ [fd00::2]:8080@", ""},
		{"the other family", family(config.PreferIPv6), []string{v4(http, pod("10.0.0.1", "x", ""), pod("10.0.0.3", "z", "")), v6(http, pod("fd00::1", "x", ""))}, "10.0.0.3:8080@ [fd00::1]:8080@", ""},
		{"one family", family(config.OnlyIPv4), []string{v4(http, pod("10.0.0.1", "x", "")), v6(http, pod("fd00::1", "x", ""), pod("fd00::2", "y", ""))}, "10.0.0.1:8080@", ""},
		{"the other one", family(config.OnlyIPv6), []string{v4(http, pod("10.0.0.1", "x", "")), v6(http, pod("fd00::1", "x", ""))}, "[fd00::1]:8080@", ""},
		{"ready in one family", only, []string{v4(http, pod("10.0.0.1", "x", `"ready":false,"serving":true,"terminating":true`)), v6(http, pod("fd00::1", "x", `"ready":true`))}, "[fd00::1]:8080@", ""},
		{"appProtocol", named("grpc"), []string{v4(two, `{"addresses":["10.0.0.1"]}`)}, "h2c://10.0.0.1:9090@", ""},
		{"protocol", wanted{port: "grpc", talk: config.TalkHTTP}, []string{v4(two, `{"addresses":["10.0.0.1"]}`)}, "10.0.0.1:9090@", ""},
		{"https", wanted{port: "http", talk: config.TalkHTTPS}, []string{v4(two, `{"addresses":["10.0.0.1"]}`)}, "https://10.0.0.1:8080@", ""},
		{"h2c", wanted{port: "http", talk: config.TalkH2C}, []string{v4(two, `{"addresses":["10.0.0.1"]}`)}, "h2c://10.0.0.1:8080@", ""},
		{"which port?", only, []string{v4(two, `{"addresses":["10.0.0.1"]}`)}, "", "EndpointSlice s0: it has the ports http (8080), grpc (9090): say which with port"},
		{"no such port", named("web"), []string{v4(http, `{"addresses":["10.0.0.1"]}`)}, "", `EndpointSlice s0: it has no port "web", but http (8080)`},
		{"no TCP port", only, []string{v4(`,"ports":[{"name":"dns","port":53,"protocol":"UDP"}]`, `{"addresses":["10.0.0.1"]}`)}, "", "EndpointSlice s0: it has no TCP port"},
		{"nobody and no port is nothing wrong", only, []string{v4("")}, "", ""},
		{"names", only, []string{`{"addressType":"FQDN","endpoints":[{"addresses":["a.example"]}],"ports":[{"port":80}]}`}, "", `expected addresses of the type IPv4 or IPv6, got "FQDN"`},
		{"no address", only, []string{v4(http, `{"addresses":["x"]}`, `{"addresses":["10.0.0.1"]}`)}, "10.0.0.1:8080@", `EndpointSlice s0: expected an IP address, got "x"`},
	} {
		all := map[string]*slice{}
		for i, text := range test.slices {
			s := discovery.EndpointSlice{}
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			s.Name = fmt.Sprintf("s%d", i)
			all[s.Name] = newSlice(&s)
		}
		made, wrong := instances(all, test.want)
		if got := shown(made); got != test.made {
			t.Errorf("%s: got %s, want %s", test.name, got, test.made)
		}
		if got := strings.Join(wrong, "\n"); test.wrong == "" && got != "" || !strings.Contains(got, test.wrong) {
			t.Errorf("%s: wrong is %q, want %q", test.name, got, test.wrong)
		}
	}
}

func TestMostEndpoints(t *testing.T) {
	s := discovery.EndpointSlice{AddressType: "IPv4", Ports: []discovery.EndpointPort{{Port: new(int32(80))}}}
	for i := range 1000 {
		s.Endpoints = append(s.Endpoints, discovery.Endpoint{Addresses: []string{fmt.Sprintf("10.0.%d.%d", i/250, i%250)}})
	}
	all := map[string]*slice{}
	for i := range 11 {
		all[fmt.Sprintf("s%02d", i)] = newSlice(&s)
	}
	made, wrong := instances(all, wanted{only: true})
	if len(made) != 1000 || len(wrong) != 1 || !strings.Contains(wrong[0], "more than 10000 endpoints") {
		t.Errorf("%d instances, %q", len(made), wrong)
	}
}
