package config

import (
	"crypto/tls"
	"regexp"
	"testing"

	"dyno.example/nanogate/docs"
)

func TestTLS(t *testing.T) {
	const rest = "routes: [{to: {a: 1, b: 1}}]\nupstreams:\n  a: {endpoints: [\"127.0.0.1:1\", \"https://a.example\"], tls: {ca: ca.pem}}\n  b: [\"https://b.example:8443\", \"http://127.0.0.1:1\"]\n"
	c, err := Parse("/etc/f.yaml", []byte(`listen: [":1", {address: ":2", tls: true}, {address: ":3", tls: false}, {address: ":4", tls: {certificates: {cert: b.pem, key: /k/b.pem}}}]
tls: {certificates: [{cert: a.pem, key: a-key.pem}], min-version: "1.3", client-ca: ca.pem}
`+rest))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []*TLS{c.TLS, c.TLS, nil} {
		if c.Listen[i].TLS != want {
			t.Errorf("%s: %v, want %v", c.Listen[i].Address, c.Listen[i].TLS, want)
		}
	}
	if t1 := c.TLS; t1.MinVersion != tls.VersionTLS13 || t1.ClientCA != "/etc/ca.pem" || t1.Optional || t1.Certificates[0].Key != "/etc/a-key.pem" {
		t.Errorf("%+v", c.TLS)
	}
	if own := c.Listen[3].TLS; own == nil || own.MinVersion != tls.VersionTLS12 || own.Certificates[0].Cert != "/etc/b.pem" || own.Certificates[0].Key != "/k/b.pem" {
		t.Errorf("%+v", own)
	}
	for i, want := range []bool{true, true, true, false} {
		if e := c.Upstreams[i/2].Endpoints[i%2]; e.Address.TLS != want {
			t.Errorf("%s: TLS %v", e.Address, e.Address.TLS)
		}
	}
}

// Certificates may stand in Kubernetes alone, where a Gateway is followed.
func TestTLSOfKubernetes(t *testing.T) {
	c, err := Parse("f.yaml", []byte("listen: [{address: \":1\", tls: {kubernetes: true}}]\nkubernetes: {gateway: web}\n"))
	if err != nil || !c.Listen[0].TLS.Kubernetes {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Parse("f.yaml", []byte("listen: [{address: \":1\", tls: {kubernetes: false}}]\nkubernetes: {gateway: web}\n")); err == nil {
		t.Error("there is no certificate")
	}
}

func TestTLSProblems(t *testing.T) {
	const routes = "routes: [{to: http://127.0.0.1:1}]\n"
	for want, src := range map[string]string{
		"f.yaml:1:31: listen[0].tls: the file says nothing of TLS that could hold here (add at the top: tls: {certificates: [{cert: ./site.pem, key: ./site-key.pem}]})": "listen: [{address: \":1\", tls: true}]\n" + routes,
		"f.yaml:1:10: listen[0]: there is no address (such as {address: 127.0.0.1:8443, tls: true})":                                                                     "listen: [{tls: false}]\n" + routes,
		"f.yaml:1:16: listen[1]: the address :1 is given twice (remove one of them)":                                                                                     "listen: [\":1\", \":1\"]\n" + routes,
		"f.yaml:2:6: tls: certificates are to come from Kubernetes, and no Gateway there is followed (add at the top: kubernetes: {gateway: NAME})":                      "listen: [\":1\", \":2\"]\ntls: {kubernetes: true}\n" + routes,
		"f.yaml:2:6: tls: there is no certificate to show to clients (such as certificates: [{cert: ./site.pem, key: ./site-key.pem}])":                                  "listen: \":1\"\ntls: {}\n" + routes,
		"f.yaml:2:22: tls.certificates[0]: a certificate is two files, cert and key (such as {cert: ./site.pem, key: ./site-key.pem})":                                   "listen: \":1\"\ntls: {certificates: [{cert: a}]}\n" + routes,
		"f.yaml:2:71: tls.client-certificate: clients' certificates can't be verified without an authority (add: client-ca: ./clients-ca.pem)":                           "listen: \":1\"\ntls: {certificates: [{cert: a, key: a}],          client-certificate: require}\n" + routes,
		"f.yaml:2:53: tls.min-version: \"1.1\" is not one of the choices (did you mean \"1.2\"?)":                                                                        "listen: \":1\"\ntls: {certificates: {cert: a, key: a}, min-version: \"1.1\"}\n" + routes,
		"f.yaml:2:44: routes[0].mtls: no listener verifies clients' certificates, so nobody could be let in (add to tls: client-ca: ./clients-ca.pem)":                   "listen: \":1\"\nroutes: [{to: http://127.0.0.1:1,    mtls: {}}]\n",
		"f.yaml:3:29: upstreams.u.endpoints[0]: the upstream has tls, and this endpoint is without (write https://)":                                                     "listen: \":1\"\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\"http://127.0.0.1:1\"], tls: {}}}\n",
		"f.yaml:3:29: upstreams.u.endpoints[0]: a unix socket has no name that it could be verified by (add to tls: server-name: api.example.com)":                       "listen: \":1\"\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\"unix:/a\"], tls: {}}}\n",
		"f.yaml:3:50: upstreams.u.tls: a certificate is two files, cert and key (such as cert: ./client.pem, key: ./client-key.pem)":                                     "listen: \":1\"\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\"127.0.0.1:1\"], tls: {cert: a}}}\n",
	} {
		_, err := Parse("f.yaml", []byte(src))
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
		}
	}
}

// The files in the documentation are right.
func TestDocumentedFiles(t *testing.T) {
	text := []byte(docs.All())
	found := regexp.MustCompile("(?s)```yaml\n(listen:.*?)```").FindAllSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("there are none")
	}
	for _, m := range found {
		if _, err := Parse("gateway.md", m[1]); err != nil {
			t.Errorf("%s\n%v", m[1], err)
		}
	}
}
