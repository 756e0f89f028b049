package config

import (
	"slices"
	"testing"
	"time"
)

func TestConsul(t *testing.T) {
	for src, want := range map[string]Consul{
		"consul: users": {Address: "http://127.0.0.1:8500", Service: "users", Zone: "zone", Protocol: "http", Timeout: 5 * time.Second},
		"consul: {service: users, address: \"10.0.0.1:8500\"}": {Address: "http://10.0.0.1:8500", Service: "users", Zone: "zone", Protocol: "http", Timeout: 5 * time.Second},
		"consul: {service: users, address: \"unix:/run/consul.sock\", token: t, passing-only: false, zone: az, timeout: 1s}, tls: {ca: a.pem}": {
			Address: "unix:/run/consul.sock", Service: "users", Token: "/etc/t", Warning: true, Zone: "az", Protocol: "https", Timeout: time.Second,
		},
		"consul: {service: users, address: \"https://consul.example:8501/\", tags: [v2, eu], datacenter: dc2, protocol: h2c, token: /t, tls: {ca: ca.pem}}": {
			Address: "https://consul.example:8501", Service: "users", Tags: []string{"v2", "eu"}, Datacenter: "dc2", Token: "/t", Zone: "zone", Protocol: "h2c", Timeout: 5 * time.Second,
		},
	} {
		c, err := Parse("/etc/f.yaml", []byte("listen: \":1\"\nroutes: [{to: users}]\nupstreams: {users: {"+src+"}}\n"))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := *c.Upstreams[0].Consul
		if (got.TLS != nil) != (len(want.Tags) > 0) {
			t.Errorf("%s: TLS %+v", src, got.TLS)
		}
		same := slices.Equal(got.Tags, want.Tags)
		got.At, got.TLS, got.Tags, want.Tags = At{}, nil, nil, nil
		if want.Same() != got.Same() || !same || got.Token != want.Token || got.Timeout != want.Timeout {
			t.Errorf("%s:\n got %+v\nwant %+v", src, got, want)
		}
	}
}

func TestConsulProblems(t *testing.T) {
	for want, src := range map[string]string{
		"f.yaml:3:25: upstreams.u.consul: consul needs a service (such as consul: {service: users})":                                                                                                 "{consul: {tags: [a]}}",
		"f.yaml:3:35: upstreams.u.consul.service: expected the name of a service, got \"a b\"":                                                                                                       "{consul: {service: a b}}",
		"f.yaml:3:47: upstreams.u.consul.address: expected the address of a Consul agent, got \"ftp://a\" (such as http://127.0.0.1:8500, https://consul.example.com:8501 or unix:/run/consul.sock)": "{consul: {service: a, address: \"ftp://a\"}}",
		"f.yaml:3:43: upstreams.u.consul.tls: Consul is asked without TLS, and tls is given (write address: https://…, where agents listen on port 8501)":                                            "{consul: {service: a, tls: {ca: a}}}",
		"f.yaml:3:73: upstreams.u.consul.sockets: unix sockets are those of the agent's machine, and http://10.0.0.1:8500 is another one (ask this machine's own agent, or leave sockets out)":       "{consul: {service: a, address: \"10.0.0.1:8500\", sockets: true}}",
		"f.yaml:3:71: upstreams.u.consul.token: a token that goes over plain http to another machine could be anybody's: only this machine's own addresses are taken (write address: https://…)":     "{consul: {service: a, address: \"10.0.0.1:8500\", token: t}}",
		"f.yaml:3:48: upstreams.u.consul.protocol: \"grpc\" is not one of the choices (there are http, https, h2c)":                                                                                  "{consul: {service: a, protocol: grpc}}",
		"f.yaml:3:16: upstreams.u: the upstream has no endpoints (add: endpoints: [\"http://127.0.0.1:9001\"])":                                                                                      "{connect: 1s}",
	} {
		_, err := Parse("f.yaml", []byte("listen: \":1\"\nroutes: [{to: u}]\nupstreams: {u: "+src+"}\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
		}
	}
}
