package kubernetestest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// API is an API server as its users see it: [Server], or a real one.
type API struct {
	URL    string
	CA     []byte // PEM
	Token  string
	Client *http.Client // that trusts the CA
}

// API is how the server is talked to. Its client does so without the network: objects can
// be changed while the server is away.
func (s *Server) API() *API {
	api := Of(s.http)
	api.Client = &http.Client{Transport: direct{s}}
	return api
}

// Of is how another server of a test is talked to.
func Of(s *httptest.Server) *API {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &API{URL: s.URL, CA: ca, Token: "secret", Client: s.Client()}
}

// direct asks the server within the process.
type direct struct{ s *Server }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.s.handle(w, r)
	return w.Result(), nil
}

// Kubeconfig writes a file that leads to the server, with a namespace for what names none.
func (a *API) Kubeconfig(t testing.TB, namespace string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test, namespace: %s}}]
clusters: [{name: test, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: test, user: {token: %s}}]
`, namespace, a.URL, base64.StdEncoding.EncodeToString(a.CA), a.Token)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Apply creates objects, or replaces them. Each is JSON.
func (a *API) Apply(t testing.TB, objects ...string) {
	t.Helper()
	for _, text := range objects {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		path, name := pathOf(o)
		if status, said := a.do(t, http.MethodPost, path, o); status == http.StatusConflict {
			status, said = a.do(t, http.MethodGet, path+"/"+name, nil)
			var there Object
			if err := json.Unmarshal(said, &there); status != http.StatusOK || err != nil {
				t.Fatalf("%d: %s", status, said)
			}
			meta(o)["resourceVersion"] = meta(there)["resourceVersion"]
			if status, said = a.do(t, http.MethodPut, path+"/"+name, o); status != http.StatusOK {
				t.Fatalf("%d: %s", status, said)
			}
		} else if status/100 != 2 {
			t.Fatalf("%d: %s", status, said)
		}
	}
}

// Delete deletes an object.
func (a *API) Delete(t testing.TB, version, kind, namespace, name string) {
	t.Helper()
	path, _ := pathOf(Object{"apiVersion": version, "kind": kind, "metadata": Object{"namespace": namespace, "name": name}})
	if status, said := a.do(t, http.MethodDelete, path+"/"+name, nil); status != http.StatusOK {
		t.Fatalf("%d: %s", status, said)
	}
}

// Get returns an object.
func (a *API) Get(t testing.TB, version, kind, namespace, name string) (o Object) {
	t.Helper()
	path, _ := pathOf(Object{"apiVersion": version, "kind": kind, "metadata": Object{"namespace": namespace, "name": name}})
	status, said := a.do(t, http.MethodGet, path+"/"+name, nil)
	if status != http.StatusOK {
		t.Fatalf("%d: %s", status, said)
	}
	if err := json.Unmarshal(said, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// pathOf is where objects like this one stand.
func pathOf(o Object) (path, name string) {
	version, kind := fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"])
	path = "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	m := meta(o)
	if namespace, _ := m["namespace"].(string); namespace != "" {
		path += "/namespaces/" + namespace
	}
	plural := strings.ToLower(kind) + "s"
	if strings.HasSuffix(kind, "s") {
		plural = strings.ToLower(kind) + "es"
	}
	name, _ = m["name"].(string)
	return path + "/" + plural, name
}

func (a *API) do(t testing.TB, method, path string, o Object) (int, []byte) {
	t.Helper()
	var body bytes.Buffer
	if o != nil {
		if err := json.NewEncoder(&body).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, a.URL+path, &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+a.Token)
	resp, err := a.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, said
}
