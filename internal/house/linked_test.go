package house

import (
	"strings"
	"testing"
)

// TestDriversLinked: a program that serves a gateway links no driver that it hasn't imported, and nanogate's
// command has etcd, and an etcd server, only by imports of their own.
func TestDriversLinked(t *testing.T) {
	t.Parallel()
	own := []string{"cel", "consul", "redis", "otlp", "reflection", "kubernetes", "etcd"}
	for i := range own {
		own[i] = "dyno.example/nanogate/internal/" + own[i]
	}
	for _, tt := range []struct {
		program  string
		has, not []string
	}{
		{"dyno.example/nanogate/serve", []string{"dyno.example/nanogate/internal/dns"},
			append([]string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/", "github.com/redis/", "cel.dev/", "google.golang.org/grpc", "go.opentelemetry.io/otel/exporters/"}, own...)},
		{"dyno.example/nanogate/examples/embedded", []string{"go.etcd.io/etcd/client/"},
			[]string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/etcd/server/", "go.etcd.io/bbolt", "go.etcd.io/raft/", "dyno.example/nanogate/internal/consul", "github.com/redis/", "cel.dev/"}},
		{"dyno.example/nanogate/command", nil, append([]string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/", "github.com/redis/", "cel.dev/"}, own...)},
		{"dyno.example/nanogate/cmd/nanogate", append([]string{"k8s.io/client-go/", "go.etcd.io/etcd/server/"}, own...), nil},
	} {
		deps := "\n" + goIn(t, root, "", "list", "-deps", tt.program)
		for _, prefix := range tt.has {
			if !strings.Contains(deps, "\n"+prefix) {
				t.Errorf("%s doesn't link %s", tt.program, prefix)
			}
		}
		for _, prefix := range tt.not {
			if at := strings.Index(deps, "\n"+prefix); at >= 0 {
				one, _, _ := strings.Cut(deps[at+1:], "\n")
				t.Errorf("%s links %s", tt.program, one)
			}
		}
	}
}
