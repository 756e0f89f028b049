//go:build linux

package kubernetes

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
)

// recorded is where responses of a real API server are kept: kube-apiserver 1.36.1.
const recorded = "testdata"

const slicesPath = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"

// record keeps what a real API server responded, if KUBE_RECORD is set.
func record(t *testing.T, admin, nobody *kubernetestest.API) {
	if os.Getenv("KUBE_RECORD") == "" {
		return
	}
	path := slicesPath
	get := func(api *kubernetestest.API, name, query string, meanwhile func()) []byte {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, admin.URL+path+"?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+api.Token)
		resp, err := admin.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		meanwhile()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(recorded, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
		return b
	}
	nothing := func() {}
	get(nobody, "forbidden.json", "", nothing)
	admin.Apply(t, sliceOf("recorded", "r-1", 80, "10.0.0.1"), sliceOf("recorded", "r-2", 80, "10.0.0.2"))
	const selector = "labelSelector=kubernetes.io%2Fservice-name%3Drecorded"
	first := page(t, get(admin, "page-1.json", selector+"&limit=1", nothing))
	get(admin, "page-2.json", selector+"&limit=1&continue="+first.Metadata.Continue, nothing)
	get(admin, "watch.json", selector+"&watch=true&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion="+first.Metadata.ResourceVersion, func() {
		admin.Apply(t, sliceOf("recorded", "r-1", 81, "10.0.0.1", "10.0.0.3"))
		admin.Delete(t, "discovery.k8s.io/v1", "EndpointSlice", "shop", "r-2")
		admin.Apply(t, sliceOf("recorded", "r-3", 82, "10.0.0.4"))
	})
	// The server knows nothing of this resource from before it was installed.
	admin.Install(t, "httproutes")
	path = "/apis/gateway.networking.k8s.io/v1/httproutes"
	get(admin, "gone.json", "watch=true&timeoutSeconds=1&resourceVersion=1", nothing)
}

// listed is what of a page is looked at here.
type listed struct {
	Metadata struct{ Continue, ResourceVersion string }
}

func page(t *testing.T, b []byte) (p listed) {
	t.Helper()
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// What a real API server responded with is understood: pages, a watch, that a version is gone,
// that somebody may not read.
func TestRecorded(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(recorded, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const (
		refused = iota
		watched
		gone
		again
	)
	var state atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		switch at := state.Load(); {
		case at == refused:
			w.WriteHeader(http.StatusForbidden)
			w.Write(read("forbidden.json"))
		case q.Get("watch") == "" && q.Get("continue") == "":
			w.Write(read("page-1.json"))
		case q.Get("watch") == "":
			w.Write(read("page-2.json"))
		case at == gone:
			state.Store(again)
			w.Write(read("gone.json"))
		default:
			if at == watched {
				w.Write(read("watch.json"))
			}
			w.(http.Flusher).Flush()
			for state.Load() == at && r.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
		}
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	api := kubernetestest.Of(server)
	v := watchAs(t, gateway(""), of(api.Kubeconfig(t, "shop"), "recorded", ""))
	if s := v.Live(t, false); !strings.HasPrefix(s.Err, "the API server responded 403: endpointslices.discovery.k8s.io is forbidden: User \"nobody\" cannot list") {
		t.Error(s.Err)
	}
	state.Store(watched)
	v.Sees(t, "10.0.0.1:81@a 10.0.0.3:81@a 10.0.0.4:82@a")
	v.Live(t, true)
	state.Store(gone) // the next watch is told so, and all is listed again
	v.Sees(t, "10.0.0.1:80@a 10.0.0.2:80@a")
	v.Live(t, true)
}
