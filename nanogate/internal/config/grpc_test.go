package config

import (
	"fmt"
	"strings"
	"testing"
)

// What a route has beside grpc-json that would do nothing, or do harm, is refused.
func TestBesideGRPCJSON(t *testing.T) {
	for field, want := range map[string]string{
		"rewrite: /v2":         "the path of a call over gRPC is its method's",
		"cache: {}":            "responses that grpc-json makes of calls are not stored",
		"deadline: X-Deadline": "write deadline: grpc-timeout",
		"timeout: 1s":          "",
	} {
		_, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes:\n  - {grpc-json: {reflection: true}, "+field+", to: \"h2c://127.0.0.1:9000\"}\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", field, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f.yaml:3:")):
			t.Errorf("%s: %v, want %q", field, err, want)
		}
	}
}

// A health check over gRPC may name no service, which is the server as a whole.
func TestHealthOfGRPC(t *testing.T) {
	for text, want := range map[string]string{
		`{grpc: ""}`:       "true ",
		`{grpc: users.v1}`: "true users.v1",
		`{path: /up}`:      "false ",
		`{grpc: []}`:       `f.yaml:3:58: upstreams.u.health.grpc: expected the name of a service, or "" for the server as a whole, got a list (such as users.v1.Users)`,
		`{grpc: "a\tb"}`:   `f.yaml:3:58: upstreams.u.health.grpc: expected a text without control characters, got "a\tb"`,
	} {
		c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\"h2c://a:1\"], health: "+text+"}}\n"))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			h := c.Upstreams[0].Health
			got = fmt.Sprint(h.GRPC, " ", h.Service)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
