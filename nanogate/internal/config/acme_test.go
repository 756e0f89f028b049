package config

import (
	"slices"
	"testing"
	"time"
)

func TestACME(t *testing.T) {
	c, err := Parse("/etc/f.yaml", []byte(`listen: [":443", {address: ":80", tls: false}]
tls: {acme: {domains: [Shop.Example, www.shop.example, xn--mgbh0fb.example], storage: ./acme, email: ops@shop.example, agree: true}}
routes: [{to: http://127.0.0.1:1}]
`))
	if err != nil {
		t.Fatal(err)
	}
	a := c.TLS.ACME
	if a.Directory != LetsEncrypt || a.Storage != "/etc/acme" || a.Email != "ops@shop.example" || a.Domains[0] != "shop.example" || len(a.Domains) != 3 || !slices.Equal(a.Challenges, []string{TLSALPN01, HTTP01}) {
		t.Errorf("%+v", a)
	}
	for listen, want := range map[string][]string{
		`":443"`:                                 {TLSALPN01},
		`[":443", {address: ":80", tls: false}]`: {HTTP01},
		`[{address: ":1", tls: {certificates: {cert: a, key: a}}}, ":443", {address: ":80", tls: false}]`: {HTTP01},
	} {
		more := ""
		if want[0] == HTTP01 {
			more = ", challenge: http-01, external-account: {id: a, key: /b}, ca: ca.pem, directory: \"https://acme.example:14000/dir\""
		}
		c, err := Parse("/etc/f.yaml", []byte("listen: "+listen+"\ntls: {certificates: {cert: a, key: b}, acme: {domains: shop.example, storage: /var/lib/acme, agree: true"+more+"}}\nroutes: [{to: http://127.0.0.1:1}]\n"))
		if err != nil {
			t.Errorf("%s: %v", listen, err)
			continue
		}
		if a := c.TLS.ACME; !slices.Equal(a.Challenges, want) || more != "" && (a.CA != "/etc/ca.pem" || a.AccountID != "a" || a.AccountKey != "/b" || a.Directory != "https://acme.example:14000/dir") {
			t.Errorf("%s: %+v", listen, a)
		}
	}
}

func TestACMEDNS(t *testing.T) {
	for server, want := range map[string]string{"ns1.shop.example": "ns1.shop.example:53", "192.0.2.1:5353": "192.0.2.1:5353", "2001:db8::1": "[2001:db8::1]:53", "[::1]": "[::1]:53"} {
		c, err := Parse("/etc/f.yaml", []byte("listen: \":443\"\ntls: {acme: {domains: [\"*.Shop.Example\"], storage: s, agree: true, dns: {server: \""+server+"\", key: ./k, zone: Shop.Example., check: [a, \"b:1\"], wait: 2m}}}\nroutes: [{to: http://127.0.0.1:1}]\n"))
		if err != nil {
			t.Errorf("%s: %v", server, err)
			continue
		}
		a := c.TLS.ACME
		if d := a.DNS; d.Server != want || d.Key != "/etc/k" || d.Zone != "shop.example" || !slices.Equal(d.Check, []string{"a:53", "b:1"}) || d.Wait != 2*time.Minute || !slices.Equal(a.Challenges, []string{DNS01}) || a.Domains[0] != "*.shop.example" {
			t.Errorf("%s: %+v, %+v", server, a, d)
		}
	}
}

func TestACMEProblems(t *testing.T) {
	const agreed = "domains: [a.example], storage: s, agree: true"
	for want, acme := range map[string]string{
		"f.yaml:2:13: tls.acme: acme needs domains (such as acme: {domains: [shop.example], storage: ./acme, email: ops@shop.example, agree: true})":                                                                                                                                                "storage: s, agree: true",
		"f.yaml:2:13: tls.acme: acme needs storage (such as acme: {domains: [shop.example], storage: ./acme, email: ops@shop.example, agree: true})":                                                                                                                                                "domains: [a.example], agree: true",
		"f.yaml:2:13: tls.acme: an authority gives certificates only to who agrees to its terms of service, which https://acme-v02.api.letsencrypt.org/directory names (add: agree: true)":                                                                                                          "domains: [a.example], storage: s",
		"f.yaml:2:57: tls.acme.agree: an authority gives certificates only to who agrees to its terms of service, which https://acme-v02.api.letsencrypt.org/directory names (add: agree: true)":                                                                                                    "domains: [a.example], storage: s,   agree: false",
		"f.yaml:2:23: tls.acme.domains: an authority gives certificates for all names below one, as *.a.example is, only to those who prove it by DNS (dns-01) (add: dns: {server: ns1.shop.example, key: ./tsig.key}; or name each host, or give it a certificate of your own under certificates)": "domains: [\"*.a.example\"], storage: s, agree: true",
		"f.yaml:2:24: tls.acme.domains[0]: expected the full name of a host, got \"a.*.example\" (such as shop.example or *.shop.example; names in other scripts as xn--…)":                                                                                                                         "domains: [\"a.*.example\"], storage: s, agree: true",
		"f.yaml:2:24: tls.acme.domains[0]: expected the full name of a host, got \"*.example\" (such as shop.example or *.shop.example; names in other scripts as xn--…)":                                                                                                                           "domains: [\"*.example\"], storage: s, agree: true",
		"f.yaml:2:24: tls.acme.domains[0]: expected the name of a host, got the address 192.0.2.1":                                                                                                                                                                                                  "domains: [192.0.2.1], storage: s, agree: true",
		"f.yaml:2:24: tls.acme.domains[0]: expected the full name of a host, got \"shop\" (such as shop.example or *.shop.example; names in other scripts as xn--…)":                                                                                                                                "domains: [shop], storage: s, agree: true",
		"f.yaml:2:24: tls.acme.domains[0]: expected the full name of a host, got \"../a.example\" (such as shop.example or *.shop.example; names in other scripts as xn--…)":                                                                                                                        "domains: [../a.example], storage: s, agree: true",
		"f.yaml:2:35: tls.acme.domains[1]: the name a.example is given twice (remove one of them)":                                                                                                                                                                                                  "domains: [a.example, A.example], storage: s, agree: true",
		"f.yaml:2:23: tls.acme.domains: there is no name in the list (such as [shop.example])":                                                                                                                                                                                                      "domains: [], storage: s, agree: true",
		"f.yaml:2:72: tls.acme.directory: expected the https URL of an authority's directory, got \"http://acme.example/\" (such as https://acme-v02.api.letsencrypt.org/directory)":                                                                                                                agreed + ", directory: \"http://acme.example/\"",
		"f.yaml:2:68: tls.acme.email: expected one e-mail address, got \"ops\" (such as ops@shop.example)":                                                                                                                                                                                          agreed + ", email: ops",
		"f.yaml:2:72: tls.acme.challenge: \"dns-02\" is not one of the choices (did you mean \"dns-01\"?)":                                                                                                                                                                                          agreed + ", challenge: dns-02",
		"f.yaml:2:72: tls.acme.challenge: for dns-01 records are made, and nothing says where (add: dns: {server: ns1.shop.example, key: ./tsig.key})":                                                                                                                                              agreed + ", challenge: dns-01",
		"f.yaml:2:90: tls.acme.dns: the authority isn't to check by dns-01 (add dns-01 to challenge, or remove dns)":                                                                                                                                                                                agreed + ", challenge: tls-alpn-01, dns: {server: ns, key: ./k}",
		"f.yaml:2:66: tls.acme.dns: dns needs key (such as dns: {server: ns1.shop.example, key: ./tsig.key})":                                                                                                                                                                                       agreed + ", dns: {server: ns}",
		"f.yaml:2:75: tls.acme.dns.server: expected the address of a name server, got \"dns://ns\" (such as ns1.shop.example or 192.0.2.53:5353)":                                                                                                                                                   agreed + ", dns: {server: \"dns://ns\", key: ./k}",
		"f.yaml:2:84: tls.acme.dns.key: expected the file that holds it, with / or ./ at its beginning: secrets don't belong into this one (such as ./client-secret)":                                                                                                                               agreed + ", dns: {server: ns, key: c2VjcmV0}",
		"f.yaml:2:72: tls.acme.challenge: the authority has to check somehow (such as [tls-alpn-01, http-01])":                                                                                                                                                                                      agreed + ", challenge: []",
		"f.yaml:2:13: tls.acme: the authority would check by http-01, and no address is listened on without TLS (add to listen: {address: \":80\", tls: false}, or let the authority check by tls-alpn-01 or dns-01)":                                                                               agreed + ", challenge: http-01",
		"f.yaml:2:79: tls.acme.external-account: an account at the authority is an id, and a file with its key (such as {id: kid-1, key: ./authority.key})":                                                                                                                                         agreed + ", external-account: {id: a}",
	} {
		_, err := Parse("f.yaml", []byte("listen: \":443\"\ntls: {acme: {"+acme+"}}\nroutes: [{to: http://127.0.0.1:1}]\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", acme, err, want)
		}
	}
}
