package gatewayapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/kubernetes"
	"dyno.example/nanogate/internal/kubernetes/kubernetestest"
	"dyno.example/nanogate/internal/secure/securetest"
	"dyno.example/nanogate/internal/upstream/upstreamtest"
)

// secretText is a Secret with a certificate and key.
func secretText(t testing.TB, namespace, name string, f securetest.Files) string {
	t.Helper()
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":%q,"name":%q},"type":"kubernetes.io/tls","data":{"tls.crt":%q,"tls.key":%q}}`, namespace, name, read(f.Cert), read(f.Key))
}

// broken is a Secret whose certificate is none.
const broken = `{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop","name":"site"},"type":"kubernetes.io/tls","data":{"tls.crt":"bm9uZQ==","tls.key":"bm9uZQ=="}}`

func secretFrom(t testing.TB, text string) *core.Secret {
	t.Helper()
	s := new(core.Secret)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewSecret(t *testing.T) {
	ca := securetest.New(t)
	now := time.Now()
	good, late := ca.Issue("good", time.Hour, "good"), ca.Issue("late", -time.Minute, "late")
	mixed := securetest.Files{Cert: good.Cert, Key: late.Key}
	valid := newSecret(secretFrom(t, secretText(t, "shop", "site", good)), nil, now)
	if valid.Problem != "" || valid.Pair.Leaf.Subject.CommonName != "good" {
		t.Fatalf("%+v", valid)
	}
	for _, test := range []struct{ name, text, problem, alone string }{
		{"none", `{"type":"kubernetes.io/tls"}`, "it has no tls.crt", ""},
		{"no key", `{"type":"kubernetes.io/tls","data":{"tls.crt":"bm9uZQ=="}}`, "it has no tls.key", ""},
		{"another type", `{"type":"Opaque"}`, `it is of the type "Opaque", not kubernetes.io/tls`, ""},
		{"no PEM", broken, "tls.crt and tls.key are no certificate in PEM form with its key", ""},
		{"another one's key", secretText(t, "shop", "site", mixed), "tls.crt and tls.key are no certificate in PEM form with its key", ""},
		{"expired", secretText(t, "shop", "site", late), "its certificate expired at ", "late"},
	} {
		made := newSecret(secretFrom(t, test.text), nil, now)
		shown := ""
		if made.Pair != nil {
			shown = made.Pair.Leaf.Subject.CommonName
		}
		if !strings.HasPrefix(made.Problem, test.problem) || shown != test.alone {
			t.Errorf("%s: %q, shown %q", test.name, made.Problem, shown)
		}
		if after := newSecret(secretFrom(t, test.text), valid, now); after.Problem != made.Problem || after.Pair != valid.Pair {
			t.Errorf("%s: what was there before doesn't stay: %+v", test.name, after)
		}
	}
	if again := newSecret(secretFrom(t, secretText(t, "shop", "site", good)), valid, now); again != valid {
		t.Error("the same is another one")
	}
	if next := newSecret(secretFrom(t, secretText(t, "shop", "site", ca.Issue("next", time.Hour, "next"))), valid, now); next.Pair == valid.Pair || next.Problem != "" {
		t.Errorf("%+v", next)
	}
}

// What a listener's references to certificates come to.
func TestCertificateRefs(t *testing.T) {
	ca := securetest.New(t)
	pair := func(name string) *Secret {
		return newSecret(secretFrom(t, secretText(t, "shop", name, ca.Issue(name, time.Hour, name))), nil, time.Now())
	}
	kept := pair("kept")
	kept.Problem = "it has no tls.key"
	secrets := map[Name]*Secret{
		{Namespace: "shop", Name: "site"}: pair("site"), {Namespace: "shop", Name: "more"}: pair("more"), {Namespace: "shop", Name: "kept"}: kept,
		{Namespace: "shop", Name: "none"}: {Problem: "there is none"}, {Namespace: "other", Name: "site"}: pair("elsewhere"),
	}
	grant := func(kind, namespace, to string) string {
		return `{"kind":"ReferenceGrant","metadata":{"namespace":"other","name":"g"},"spec":{"from":[{"group":"gateway.networking.k8s.io","kind":"` + kind + `","namespace":"` + namespace + `"}],"to":[{"group":"","kind":` + to + `}]}}`
	}
	const elsewhere = `{"name":"site","namespace":"other"}`
	const notPermitted = "ResolvedRefs False RefNotPermitted: no ReferenceGrant in other allows Gateways of shop to refer to the Secret site"
	for _, test := range []struct{ name, refs, grant, shown, said string }{
		{"one", `{"name":"site"}`, "", "Secret shop/site", ""},
		{"in full", `{"group":"","kind":"Secret","namespace":"shop","name":"site"}`, "", "Secret shop/site", ""},
		{"two", `{"name":"site"},{"name":"more"}`, "", "Secret shop/site Secret shop/more", ""},
		{"one of two", `{"name":"none"},{"name":"more"}`, "", "Secret shop/more", "ResolvedRefs False InvalidCertificateRef: Secret shop/none: there is none"},
		{"none", `{"name":"none"}`, "", "", "Programmed False Invalid: there is no certificate to show to clients\nResolvedRefs False InvalidCertificateRef: Secret shop/none: there is none"},
		{"what was there before", `{"name":"kept"}`, "", "Secret shop/kept", "ResolvedRefs False InvalidCertificateRef: Secret shop/kept: it has no tls.key; the last certificate that could be used is shown"},
		{"another group", `{"group":"example.com","name":"site"}`, "", "", "Programmed False Invalid: there is no certificate to show to clients\nResolvedRefs False InvalidCertificateRef: certificates of example.com/Secret aren't supported"},
		{"another kind", `{"kind":"Vault","name":"site"}`, "", "", "Programmed False Invalid: there is no certificate to show to clients\nResolvedRefs False InvalidCertificateRef: certificates of /Vault aren't supported"},
		{"another namespace", elsewhere, "", "", "Programmed False Invalid: there is no certificate to show to clients\n" + notPermitted},
		{"granted", elsewhere, grant("Gateway", "shop", `"Secret"`), "Secret other/site", ""},
		{"granted by name", elsewhere, grant("Gateway", "shop", `"Secret","name":"site"`), "Secret other/site", ""},
		{"another name is granted", elsewhere, grant("Gateway", "shop", `"Secret","name":"more"`), "", "Programmed False Invalid: there is no certificate to show to clients\n" + notPermitted},
		{"to routes", elsewhere, grant("HTTPRoute", "shop", `"Secret"`), "", "Programmed False Invalid: there is no certificate to show to clients\n" + notPermitted},
		{"of Services", elsewhere, grant("Gateway", "shop", `"Service"`), "", "Programmed False Invalid: there is no certificate to show to clients\n" + notPermitted},
		{"to another namespace", elsewhere, grant("Gateway", "other", `"Secret"`), "", "Programmed False Invalid: there is no certificate to show to clients\n" + notPermitted},
	} {
		added := []string{gatewayText(`{"name":"web","port":443,"protocol":"HTTPS","hostname":"Site.Example","tls":{"certificateRefs":[` + test.refs + `]}}`), routeText("r", `{"backendRefs":[{"name":"users","port":80}]}`)}
		if test.grant != "" {
			added = append(added, test.grant)
		}
		o, s := objects(t, added...), settings()
		o.Secrets, s.Secure, s.FromSecrets = secrets, true, true
		made := translated(t, o, s)
		var shown []string
		for _, b := range made.Certificates {
			for _, c := range b.Certificates {
				shown = append(shown, c.Name)
			}
			if b.Hostname != "site.example" {
				t.Errorf("%s: they are for %q", test.name, b.Hostname)
			}
		}
		if got := strings.Join(shown, " "); got != test.shown {
			t.Errorf("%s: shown %q, want %q", test.name, got, test.shown)
		}
		l := made.Gateways[Name{Namespace: "shop", Name: "web"}].Listeners[0]
		if got := said(l.Conditions); !strings.HasPrefix(got, test.said) || test.said == "" && got != "" || l.AttachedRoutes != 1 {
			t.Errorf("%s: %d routes, said %q, want %q", test.name, l.AttachedRoutes, got, test.said)
		}
		if made.Pending || strings.Contains(routesOf(t, made), "PRIVATE") {
			t.Errorf("%s: %+v", test.name, made)
		}
	}

	// What isn't read yet is waited for; without leave to, nothing is read.
	o, s := objects(t, gatewayText(`{"name":"web","port":443,"protocol":"HTTPS","tls":{"certificateRefs":[{"name":"new"}]}}`)), settings()
	s.Secure, s.FromSecrets = true, true
	if made := translated(t, o, s); !made.Pending || len(made.Wanted) != 1 || made.Wanted[0].String() != "shop/new" {
		t.Errorf("%+v", made)
	}
	s.FromSecrets = false
	made := translated(t, o, s)
	if got := said(made.Gateways[Name{Namespace: "shop", Name: "web"}].Listeners[0].Conditions); made.Pending || len(made.Wanted) > 0 || !strings.HasPrefix(got, "ResolvedRefs False InvalidCertificateRef: Secrets aren't read") {
		t.Errorf("%q, %+v", got, made)
	}
}

// listenerSays waits until the first listener of the Gateway has a condition of that reason.
func listenerSays(t testing.TB, api *kubernetestest.API, kind, reason string) {
	t.Helper()
	upstreamtest.Eventually(t, func() (string, bool) {
		b, err := json.Marshal(api.Get(t, "gateway.networking.k8s.io/v1", "Gateway", "shop", "web")["status"])
		if err != nil {
			t.Fatal(err)
		}
		var status struct {
			Listeners []struct {
				Conditions []struct{ Type, Reason string }
			}
		}
		if err := json.Unmarshal(b, &status); err != nil {
			t.Fatal(err)
		}
		for _, l := range status.Listeners {
			for _, c := range l.Conditions {
				if c.Type == kind && c.Reason == reason {
					return "", true
				}
			}
		}
		return string(b), false
	})
}

// shows waits until a certificate of that common name is shown; "": none is.
func (s *served) shows(t testing.TB, want string) {
	t.Helper()
	upstreamtest.Eventually(t, func() (string, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		got := ""
		if len(s.shown) == 1 {
			got = s.shown[0].Certificates[0].Leaf.Subject.CommonName
		}
		return fmt.Sprintf("%q is shown, want %q", got, want), s.times > 0 && len(s.shown) <= 1 && got == want
	})
}

// certified is what any API server has to do with certificates. allow lets own read the
// Secret site, which it may not before.
func certified(t *testing.T, api, own *kubernetestest.API, allow func()) {
	ca, state := securetest.New(t), t.TempDir()
	api.Apply(t, shop...)
	api.Apply(t, `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"shop","name":"web"},"spec":{"gatewayClassName":"nanogate","listeners":[{"name":"https","port":443,"protocol":"HTTPS","tls":{"certificateRefs":[{"kind":"Secret","group":"","name":"site"}]}}]}}`)
	api.Apply(t, secretText(t, "shop", "site", ca.Issue("first", time.Hour, "first")))
	c, err := config.Parse("/f.yaml", []byte("listen: {address: 127.0.0.1:1, tls: {kubernetes: true}}\nkubernetes: {gateway: web, kubeconfig: "+own.Kubeconfig(t, "shop")+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	s := &served{}
	f := Follow(c, Options{Clusters: kubernetes.New(kubernetes.Options{State: state}), Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Apply: s.apply, Certify: s.certify, Patience: upstreamtest.Patience})
	defer f.Close()
	listenerSays(t, api, "ResolvedRefs", "InvalidCertificateRef")
	listenerSays(t, api, "Programmed", "Invalid")
	s.shows(t, "")
	upstreamtest.Eventually(t, func() (string, bool) {
		st := f.Status()
		return fmt.Sprintf("%+v", st), strings.HasPrefix(st.Err, "secret shop/site: ")
	})
	allow()
	s.shows(t, "first")
	listenerSays(t, api, "ResolvedRefs", "ResolvedRefs")
	listenerSays(t, api, "Programmed", "Programmed")
	upstreamtest.Eventually(t, func() (string, bool) { st := f.Status(); return fmt.Sprintf("%+v", st), st.Live })
	api.Apply(t, secretText(t, "shop", "site", ca.Issue("second", time.Hour, "second")))
	s.shows(t, "second")
	api.Apply(t, broken)
	listenerSays(t, api, "ResolvedRefs", "InvalidCertificateRef")
	s.shows(t, "second") // what was there before stays
	api.Apply(t, secretText(t, "shop", "site", ca.Issue("third", time.Hour, "third")))
	s.shows(t, "third")
	listenerSays(t, api, "ResolvedRefs", "ResolvedRefs")
	api.Delete(t, "v1", "Secret", "shop", "site")
	s.shows(t, "")
	listenerSays(t, api, "Programmed", "Invalid")
	f.Close()

	// None of it is in the log or on disk.
	files, err := filepath.Glob(filepath.Join(state, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	texts := map[string]string{"the log": log.String()}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(b)
	}
	keys, err := filepath.Glob(filepath.Join(filepath.Dir(ca.Path), "*.pem"))
	if err != nil || len(keys) < 4 {
		t.Fatalf("%v, %v", keys, err)
	}
	for _, key := range keys {
		b, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Split(string(b), "\n")[1]
		for where, text := range texts {
			if strings.Contains(text, line) || strings.Contains(text, base64.StdEncoding.EncodeToString(b)[:80]) {
				t.Errorf("%s stands in %s", filepath.Base(key), where)
			}
		}
	}
}

func TestCertified(t *testing.T) {
	t.Parallel()
	server := kubernetestest.Start(t)
	api := server.API()
	server.Refuse(func(r *http.Request) (int, string) {
		if strings.Contains(r.URL.Path, "/secrets") {
			return http.StatusForbidden, `secrets "site" is forbidden`
		}
		return 0, ""
	})
	certified(t, api, api, func() { server.Refuse(nil) })
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
