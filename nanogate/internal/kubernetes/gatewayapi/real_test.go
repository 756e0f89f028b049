//go:build linux

package gatewayapi

import (
	"testing"

	"dyno.example/nanogate/docs"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// The same with a real API server, where there is one, the resources as the Gateway API
// ships them, and no more rights than the documentation asks for.
func TestRealServer(t *testing.T) {
	admin, own := kubernetestest.Real(t)
	admin.Install(t, "gatewayclasses", "gateways", "httproutes", "grpcroutes", "referencegrants")
	admin.Allow(t, docs.All(), "ClusterRole", "nanogate")
	followed(t, admin, own)
	certified(t, admin, own, func() { admin.Allow(t, docs.All(), "Role", "nanogate-certificates") })
}
