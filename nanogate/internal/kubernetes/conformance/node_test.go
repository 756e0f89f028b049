//go:build linux

package conformance

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
)

const nodeName = "this"

// startNode makes the one node of the cluster: the API server asks it for the logs of its
// pods, as it would ask a kubelet. The suite reads in them which requests were mirrored.
// logOf is the file with a pod's.
func startNode(t *testing.T, client clientset.Interface, host string, logOf func(namespace, pod string) string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, logOf(r.PathValue("namespace"), r.PathValue("pod")))
	})
	kubelet := httptest.NewUnstartedServer(mux)
	kubelet.Listener.Close()
	kubelet.Listener = l
	kubelet.StartTLS()
	t.Cleanup(kubelet.Close)
	node, err := client.CoreV1().Nodes().Create(t.Context(), &core.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Status.Addresses = []core.NodeAddress{{Type: core.NodeInternalIP, Address: host}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(l.Addr().(*net.TCPAddr).Port)
	if _, err := client.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
