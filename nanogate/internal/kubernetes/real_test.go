//go:build linux

package kubernetes

import (
	"testing"

	"dyno.example/nanogate/docs"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// The same with a real API server, where there is one, and with no more rights than the
// documentation asks for.
func TestRealServer(t *testing.T) {
	admin, own := kubernetestest.Real(t)
	record(t, admin, own)
	v := watchAs(t, gateway(""), of(own.Kubeconfig(t, "shop"), "users", ""))
	if s := v.Live(t, false); s.Err == "" {
		t.Error("nobody may read, and nothing is said of it")
	}
	admin.Allow(t, docs.All(), "Role", "nanogate")
	v.Sees(t, "")
	followed(t, admin, own)
}
