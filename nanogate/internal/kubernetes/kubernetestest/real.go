//go:build linux

package kubernetestest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"

	"dyno.example/nanogate/internal/etcd/etcdtest"
)

// realPatience is how long a real API server may take to be ready.
const realPatience = 2 * time.Minute

// Real starts a real API server over an etcd, until the test ends: the
// program that KUBE_APISERVER names, or kube-apiserver in PATH. The test is skipped if
// there is none. It returns how its administrator talks to it, and how somebody does who
// may do nothing yet.
func Real(t testing.TB) (admin, nobody *API) {
	t.Helper()
	program := os.Getenv("KUBE_APISERVER")
	if program == "" {
		var err error
		if program, err = exec.LookPath("kube-apiserver"); err != nil {
			t.Skip("there is no API server of Kubernetes: KUBE_APISERVER names none, and kube-apiserver is not in PATH")
		}
	}
	dir := t.TempDir()
	store := etcdtest.Start(t, filepath.Join(dir, "etcd"), "127.0.0.1:0")
	key := serviceAccountKey(t, dir)
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte("secret,admin,1,system:masters\nother,nobody,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	cmd := exec.Command(program,
		"--etcd-servers=http://"+store.Address, "--cert-dir="+dir, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
		"--service-account-signing-key-file="+key, "--service-account-key-file="+key, "--service-account-issuer=https://kubernetes.default.svc",
		"--authorization-mode=RBAC", "--token-auth-file="+tokens, "--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none", "--profiling=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	admin = &API{URL: "https://127.0.0.1:" + port, Token: "secret"}
	for end := time.Now().Add(realPatience); !admin.ready(dir); time.Sleep(100 * time.Millisecond) {
		dead := false
		select {
		case <-ended:
			dead = true
		default:
		}
		if dead || time.Now().After(end) {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the API server isn't ready:\n%s", said[max(0, len(said)-4000):])
		}
	}
	admin.Apply(t, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`)
	other := *admin
	other.Token = "other"
	return admin, &other
}

// ready reports whether the server is, and reads whom to trust.
func (a *API) ready(dir string) bool {
	ca, err := os.ReadFile(filepath.Join(dir, "apiserver.crt"))
	if err != nil {
		return false
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	a.CA, a.Client = ca, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r, err := http.NewRequest(http.MethodGet, a.URL+"/readyz", nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
	resp, err := a.Client.Do(r)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func serviceAccountKey(t testing.TB, dir string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "accounts.key")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// freePort is a port that nobody listened on a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// Allow gives who may do nothing yet the rights that text, the documentation, shows
// in a role of that kind and name: Role, in the namespace shop, or ClusterRole.
func (a *API) Allow(t testing.TB, text, kind, name string) {
	t.Helper()
	found := false
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		for doc := range strings.SplitSeq(block[1], "---\n") {
			if strings.Contains(doc, "\nkind: "+kind+"\nmetadata: {name: "+name+",") || strings.Contains(doc, "\nkind: "+kind+"\nmetadata: {name: "+name+"}") {
				a.ApplyYAML(t, doc)
				found = true
			}
		}
	}
	if !found {
		t.Fatalf("the documentation shows no %s %s", kind, name)
	}
	namespace := ""
	if kind == "Role" {
		namespace = `"namespace":"shop",`
	}
	a.Apply(t, fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"%sBinding","metadata":{%s"name":%q},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":%q,"name":%q},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"nobody"}]}`, kind, namespace, name, kind, name))
}

// ApplyYAML applies an object that is YAML.
func (a *API) ApplyYAML(t testing.TB, text string) {
	t.Helper()
	b, err := yaml.ToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a.Apply(t, string(b))
}

// Install installs the resources of the Gateway API, as its module has them.
func (a *API) Install(t testing.TB, resources ...string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range resources {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard", "gateway.networking.k8s.io_"+resource+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		a.ApplyYAML(t, string(text))
	}
	for _, resource := range resources {
		version := "v1"
		if resource == "referencegrants" {
			version = "v1beta1"
		}
		for end := time.Now().Add(realPatience); ; time.Sleep(50 * time.Millisecond) {
			status, said := a.do(t, http.MethodGet, "/apis/gateway.networking.k8s.io/"+version+"/"+resource, nil)
			if status == http.StatusOK {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %d %s", resource, status, said)
			}
		}
	}
}
