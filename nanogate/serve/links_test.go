//go:build linux

package serve_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that serves a gateway links no way to find endpoints that it hasn't imported,
// and nanogate's command has an etcd server only by its own import.
func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		program  string
		has, not []string
	}{
		{"dyno.example/nanogate/serve", []string{"dyno.example/nanogate/internal/dns"},
			[]string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/", "dyno.example/nanogate/internal/consul"}},
		{"dyno.example/nanogate/examples/embedded", []string{"go.etcd.io/etcd/client/"},
			[]string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/etcd/server/", "go.etcd.io/bbolt", "go.etcd.io/raft/", "dyno.example/nanogate/internal/consul"}},
		{"dyno.example/nanogate/command", nil, []string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/etcd/server/", "go.etcd.io/bbolt", "go.etcd.io/raft/"}},
		{"dyno.example/nanogate/cmd/nanogate", []string{"k8s.io/client-go/", "go.etcd.io/etcd/server/", "dyno.example/nanogate/internal/consul"}, nil},
	} {
		out, err := exec.Command("go", "list", "-deps", tt.program).Output()
		if err != nil {
			t.Fatal(err)
		}
		deps := "\n" + string(out)
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
