package config

import (
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
