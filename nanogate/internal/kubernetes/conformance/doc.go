// Package conformance runs the conformance suite of the Gateway API
// (sigs.k8s.io/gateway-api/conformance) against nanogate. It is a module of its own, apart
// from go.work, as the suite needs much that the gateway doesn't. All of it is tests, which
// are skipped where there is no program that KUBE_APISERVER names, or kube-apiserver in PATH:
//
//	cd nanogate/internal/kubernetes/conformance
//	GOWORK=off KUBE_APISERVER=/path/to/kube-apiserver REPORT=report.yaml go test -timeout 60m -v .
//
// It takes Linux, an address other than loopback's, ports 3000, 3001 and some above 13000, and
// listens on ports 80 and 443 of loopback addresses, which takes root or
// net.ipv4.ip_unprivileged_port_start=80. RUN names a single test of the suite by its
// ShortName, and REPORT a file for the suite's report. When the gateway's requirements have
// changed since, -mod=mod brings go.mod up to them. The program is built where
// k8s.io/kubernetes is required, by
//
//	go build k8s.io/kubernetes/cmd/kube-apiserver
//
// The API server is a real one, over an etcd in the process. There are no nodes: the tests
// stand for what makes pods of Deployments and endpoints of Services, with the suite's echo
// server as a process for each Deployment and its log as the pod's, and for what starts a
// nanogate for each Gateway, at an address of its own.
//
// What is tested is the core of the profiles GATEWAY-HTTP and GATEWAY-GRPC, and the features
// that nanogate claims; nanogate/docs/configuration.md has them, and what came of it.
package conformance
