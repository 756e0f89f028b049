package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ACME is how the gateway gets certificates from an authority by itself, and renews them
// (RFC 8555).
type ACME struct {
	At         At
	Text       string   // all of it but its place
	Directory  string   // URL of the authority's directory
	CA         string   // file of who signs the certificate of the directory itself; "": those that the system trusts
	Email      string   // that the authority may write to; "": none
	Domains    []string // host names in lower case, or *.NAME, each of which gets a certificate
	Storage    string   // directory that keys and certificates are kept in
	Challenges []string // how the authority may check, of TLSALPN01, HTTP01 and DNS01, in the order in which they are tried
	DNS        *ACMEDNS // where records are made for DNS01; nil: nowhere
	AccountID  string   // of an account that the authority has made otherwise, which ours is bound to (RFC 8555 7.3.4); "": none
	AccountKey string   // file of that account's key, in base64url
}

// How an authority checks that a name is ours.
const (
	TLSALPN01 = "tls-alpn-01" // by a handshake on port 443 (RFC 8737)
	HTTP01    = "http-01"     // by a request on port 80 (RFC 8555 8.3)
)

// LetsEncrypt is the directory that certificates come from if a file says nothing else.
const LetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// mostDomains bounds the names of one acme: each is a certificate, a file and an order.
const mostDomains = 1000

const acmeExample = "such as acme: {domains: [shop.example], storage: ./acme, email: ops@shop.example, agree: true}"

func readACME(p place) *ACME {
	a := &ACME{At: p.At(), Text: p.in.text(p.Node), Directory: LetsEncrypt, Challenges: []string{TLSALPN01, HTTP01}}
	agreed := false
	found := readFields(p, a, []known[ACME]{
		// URL of the authority's directory.
		{"directory", (*ACME).readDirectory},
		// PEM file of who signs the directory's own certificate. Default: the system's authorities
		{"ca", func(a *ACME, p place) { a.CA = p.path() }},
		// Address that the authority may write to. Default: none
		{"email", (*ACME).readEmail},
		// Host names, or `*.NAME`, each of which gets a certificate. Default: required
		{"domains", (*ACME).readDomains},
		// Directory that keys and certificates are kept in. Default: required
		{"storage", func(a *ACME, p place) { a.Storage = p.path() }},
		// How the authority may check that a name is the gateway's, in the order in which they are
		// tried. Default: `[tls-alpn-01, http-01]`
		{"challenge", (*ACME).readChallenges},
		// The DNS server that records for `dns-01` are made at.
		{"dns", func(a *ACME, p place) { a.DNS = readACMEDNS(p) }},
		// An account at the authority that the gateway's is bound to (RFC 8555, 7.3.4). Default:
		// none
		{"external-account", (*ACME).readAccount},
		// Whether you agree to the authority's terms of service, without which it gives no
		// certificate. Default: required
		{"agree", func(_ *ACME, p place) { agreed = p.Boolean() }},
	})
	if !p.IsMapping() {
		return a
	}
	for _, name := range []string{"domains", "storage"} {
		if _, ok := found[name]; !ok {
			p.Problem(acmeExample, "acme needs %s", name)
		}
	}
	a.linkDNS(found)
	if !agreed {
		at, ok := found["agree"]
		if !ok {
			at = p
		}
		at.Problem("add: agree: true", "an authority gives certificates only to who agrees to its terms of service, which %s names", a.Directory)
	}
	return a
}

func (a *ACME) readDirectory(p place) {
	a.Directory = p.text()
	u, err := url.Parse(a.Directory)
	if a.Directory != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "") {
		p.Problem("such as "+LetsEncrypt, "expected the https URL of an authority's directory, got %s", form.Quote(a.Directory))
	}
}

func (a *ACME) readEmail(p place) {
	a.Email = p.text()
	name, host, ok := strings.Cut(a.Email, "@")
	if a.Email != "" && (!ok || name == "" || !isDomain(strings.ToLower(host)) || strings.ContainsAny(a.Email, " ,?<>")) {
		p.Problem("such as ops@shop.example", "expected one e-mail address, got %s", form.Quote(a.Email))
	}
}

func (a *ACME) readDomains(p place) {
	items := p.list()
	for _, item := range items {
		name := strings.ToLower(item.text())
		_, notIP := netip.ParseAddr(name)
		switch {
		case name == "":
		case notIP == nil:
			item.Problem("", "expected the name of a host, got the address %s", name)
		case !isDomain(strings.TrimPrefix(name, "*.")):
			item.Problem("such as shop.example or *.shop.example; names in other scripts as xn--…", "expected the full name of a host, got %s", form.Quote(name))
		case slices.Contains(a.Domains, name):
			item.Problem("remove one of them", "the name %s is given twice", name)
		default:
			a.Domains = append(a.Domains, name)
		}
	}
	switch {
	case len(items) == 0 && p.IsList():
		p.Problem("such as [shop.example]", "there is no name in the list")
	case len(items) > mostDomains:
		p.Problem("", "expected at most %d names, got %d", mostDomains, len(items))
	}
}

// isDomain reports whether a text is the full name of a host, in lower case (RFC 1123
// 2.1).
func isDomain(name string) bool {
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return len(name) <= 253 && len(labels) > 1
}

func (a *ACME) readChallenges(p place) {
	a.Challenges = nil
	for _, item := range p.list() {
		kind := item.word(TLSALPN01, HTTP01, DNS01)
		if kind != "" && !slices.Contains(a.Challenges, kind) {
			a.Challenges = append(a.Challenges, kind)
		}
	}
	if len(a.Challenges) == 0 && p.IsList() && len(p.Resolved().Content) == 0 {
		p.Problem("such as [tls-alpn-01, http-01]", "the authority has to check somehow")
	}
}

func (a *ACME) readAccount(p place) {
	readFields(p, a, []known[ACME]{
		// The account's name at the authority. Default: required
		{"id", func(a *ACME, p place) { a.AccountID = p.text() }},
		// File of the account's key, in base64url. Default: required
		{"key", func(a *ACME, p place) { a.AccountKey = p.path() }},
	})
	if p.IsMapping() && (a.AccountID == "" || a.AccountKey == "") {
		p.Problem("such as {id: kid-1, key: ./authority.key}", "an account at the authority is an id, and a file with its key")
	}
}

// linkACME holds the challenges against the listeners that would respond to them.
func (c *Config) linkACME(in *input) {
	plain := slices.ContainsFunc(c.Listen, func(l Listener) bool { return l.TLS == nil })
	seen := map[*ACME]bool{nil: true}
	for _, l := range c.Listen {
		if l.TLS == nil || seen[l.TLS.ACME] {
			continue
		}
		a := l.TLS.ACME
		seen[a] = true
		at := slices.Index(a.Challenges, HTTP01)
		if plain || at < 0 {
			continue
		}
		if a.Challenges = slices.Delete(a.Challenges, at, at+1); len(a.Challenges) == 0 {
			in.Problems = append(in.Problems, a.At.Problem(`add to listen: {address: ":80", tls: false}, or let the authority check by tls-alpn-01 or dns-01`, "the authority would check by http-01, and no address is listened on without TLS"))
		}
	}
}

// Same is equal for settings that one keeper of certificates serves.
func (a *ACME) Same() string {
	same := a.Text + " " + a.Storage + " " + a.CA + " " + a.AccountKey + " " + strings.Join(a.Challenges, " ")
	if a.DNS != nil {
		same += " " + a.DNS.Key
	}
	return same
}
