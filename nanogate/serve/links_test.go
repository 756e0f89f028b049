//go:build linux

package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/serve"
)

// Who asks for what isn't linked in is told once, where that stands and by which import it
// would be: when the file is read, or when it is to be served.
func TestNotLinked(t *testing.T) {
	for _, tt := range []struct{ driver, text, place string }{
		{"consul", "routes: [{to: users}]\nupstreams:\n  users: {consul: {service: users}}", "f.yaml:4:19: upstreams.users.consul: "},
		{"etcd", "routes: [{to: users}]\nupstreams:\n  users: {etcd: {endpoints: [\"127.0.0.1:2379\"], prefix: /users/}}", "f.yaml:4:17: upstreams.users.etcd: "},
		{"kubernetes", "kubernetes: {gateway: web}", "f.yaml:2:13: kubernetes: "},
		{"redis", "routes:\n  - {name: a, limit: {rate: 1/s, redis: \"127.0.0.1:6379\"}, to: \"http://127.0.0.1:1\"}", "f.yaml:3:41: routes[0].limit.redis: "},
		{"redis", "routes:\n  - {oidc: {issuer: \"http://127.0.0.1:1\", client-id: a, client-secret: ./secret, keys: ./keys, back-channel-logout: /out, insecure: true,\n      redis: \"127.0.0.1:6379\"}, to: \"http://127.0.0.1:1\"}", "f.yaml:4:14: routes[0].oidc.redis: "},
		{"otlp", "trace: {otlp: \"http://127.0.0.1:4318\"}\nroutes: [{respond: {}}]", "f.yaml:2:15: trace.otlp: "},
		{"otlp", "metrics: {otlp: \"http://127.0.0.1:4318\"}\nroutes: [{respond: {}}]", "f.yaml:2:17: metrics.otlp: "},
		{"grpcreflection", "routes:\n  - {grpc-json: {reflection: true}, to: \"h2c://127.0.0.1:1\"}", "f.yaml:3:30: routes[0].grpc-json.reflection: "},
		{"cel", "routes: [{rules: [\"request.tls\"], respond: {}}]", "f.yaml:2:19: routes[0].rules[0]: "},
	} {
		t.Run(tt.driver, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"secret", "keys"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s="), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "f.yaml")
			c, err := serve.Parse(path, []byte("listen: 127.0.0.1:0\n"+tt.text+"\n"))
			if err == nil {
				_, err = serve.Start(quiet(), c)
			}
			got, place, hint := fmt.Sprint(err), filepath.Join(dir, tt.place), "(import dyno.example/nanogate/with/"+tt.driver+")"
			if !strings.HasPrefix(got, place+"this program can't ") || !strings.HasSuffix(got, hint) || strings.Contains(got, "\n") {
				t.Errorf("it says\n%s\nwant\n%sthis program can't … %s", got, place, hint)
			}
		})
	}
}
