// Package kubernetes has a gateway find the endpoints of upstreams by the Services of a
// Kubernetes cluster (kubernetes: of an upstream), and serve the routes of the Gateway API
// that stand there (kubernetes: of the file). It is imported for that effect.
package kubernetes

import (
	_ "dyno.example/nanogate/internal/kubernetes"            // registers its driver for endpoints
	_ "dyno.example/nanogate/internal/kubernetes/gatewayapi" // and that for routes
)
