package config

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// JWT lets in who has a JSON Web Token (RFC 7519).
type JWT struct {
	At       At
	JWKS     string // file or URL of the keys (RFC 7517); or
	Secret   string // file of a shared secret, for HS256
	Issuer   string // who must have made tokens; "": anybody
	Audience string // for whom they must be made; "": anybody
	Type     string // of tokens, such as at+jwt; "": any
	Cookie   string // where the token stands; "": in Authorization, as a bearer's
	Leeway   time.Duration
	MaxAge   time.Duration // since a token was made; 0: any
	Refresh  time.Duration // how often keys are looked for anew
	TLS      ProviderTLS   // with who is asked for them
	TLSAt    At
	Cache    int // how many verified tokens are kept

	Claims  []Claim // what a token must say besides
	Forward []Claim // fields, in lower case, with the claims that upstreams get in them
}

// Claim is a claim and what it is for: the value it must have, or hold if it is a list
// or words with spaces between; or the field that carries it on.
type Claim struct {
	Name, Value string
	Identity    bool // the field says who somebody is
}

func readJWT(p place) *JWT {
	j := &JWT{At: p.At(), Leeway: 30 * time.Second, Refresh: 5 * time.Minute, Cache: 10_000}
	found := readFields(p, j, []known[JWT]{
		{"jwks", func(j *JWT, p place) { j.JWKS = p.pathOrURL() }},
		{"secret", func(j *JWT, p place) { j.Secret = p.path() }},
		{"issuer", func(j *JWT, p place) { j.Issuer = p.text() }},
		{"audience", func(j *JWT, p place) { j.Audience = p.text() }},
		{"type", func(j *JWT, p place) { j.Type = p.text() }},
		{"cookie", func(j *JWT, p place) { j.Cookie = p.token("cookie") }},
		{"leeway", func(j *JWT, p place) { j.Leeway = p.Duration(0, 10*time.Minute) }},
		{"max-age", func(j *JWT, p place) { j.MaxAge = p.Duration(time.Second, 366*24*time.Hour) }},
		{"refresh", func(j *JWT, p place) { j.Refresh = p.Duration(time.Second, 24*time.Hour) }},
		{"tls", func(j *JWT, p place) { j.TLS, j.TLSAt = readProviderTLS(p) }},
		{"cache", func(j *JWT, p place) { j.Cache = p.Integer(0, 1_000_000) }},
		{"claims", func(j *JWT, p place) { j.Claims = readClaims(p) }},
		{"forward", func(j *JWT, p place) { j.Forward = readForward(p) }},
	})
	if (j.JWKS == "") == (j.Secret == "") && p.IsMapping() {
		p.Problem("such as jwks: ./jwks.json, or jwks: https://id.example/.well-known/jwks.json", "jwt needs its keys from exactly one of jwks and secret")
	}
	checkProviderTLS(found, "jwks", cmp.Or(j.JWKS, j.Secret))
	return j
}

// path reads the path of a file. A relative one starts from the configuration's folder.
func (p place) path() string {
	text := p.text()
	if text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(p.in.dir, text)
}

// pathOrURL reads a file's path or an http or https URL. Over http anybody on the way
// could put in keys of his own, so that is for this machine only.
func (p place) pathOrURL() string {
	text := p.text()
	if !strings.Contains(text, "://") {
		return p.path()
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
		p.Problem("such as https://id.example/.well-known/jwks.json", "expected a file or an https URL, got %s", form.Quote(text))
	case u.Scheme == "http" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1":
		p.Problem("write https://", "keys that come over plain http could be anybody's: only this machine's own addresses are taken")
	}
	return text
}

// Introspect lets in who has a token that its server says is good (RFC 7662).
type Introspect struct {
	At       At
	URL      string // of the server's endpoint
	ID       string // the gateway, as the server calls it
	Secret   string // the file of its secret
	Audience string // for whom tokens must be made; "": anybody
	Issuer   string // who must have made them; "": anybody
	Cookie   string // where the token stands; "": in Authorization, as a bearer's
	Timeout  time.Duration
	Keep     time.Duration // how long an answer counts, at most
	Refused  time.Duration // in the same way, of a token that is no good
	TLS      ProviderTLS   // with the server
	TLSAt    At
	Cache    int // how many answers are kept

	Claims  []Claim // what the answer must say besides
	Forward []Claim // fields, in lower case, with the claims that upstreams get in them
}

func readIntrospect(p place) *Introspect {
	i := &Introspect{At: p.At(), Timeout: 5 * time.Second, Keep: time.Minute, Refused: 5 * time.Second, Cache: 10_000}
	found := readFields(p, i, []known[Introspect]{
		{"url", func(i *Introspect, p place) { i.URL = p.webURL("https://id.example/oauth2/introspect") }},
		{"client-id", func(i *Introspect, p place) { i.ID = p.text() }},
		{"client-secret", func(i *Introspect, p place) { i.Secret = p.secretFile() }},
		{"audience", func(i *Introspect, p place) { i.Audience = p.text() }},
		{"issuer", func(i *Introspect, p place) { i.Issuer = p.text() }},
		{"cookie", func(i *Introspect, p place) { i.Cookie = p.token("cookie") }},
		{"timeout", func(i *Introspect, p place) { i.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
		{"keep", func(i *Introspect, p place) { i.Keep = p.Duration(0, 24*time.Hour) }},
		{"tls", func(i *Introspect, p place) { i.TLS, i.TLSAt = readProviderTLS(p) }},
		{"refused", func(i *Introspect, p place) { i.Refused = p.Duration(0, time.Hour) }},
		{"cache", func(i *Introspect, p place) { i.Cache = p.Integer(0, 1_000_000) }},
		{"claims", func(i *Introspect, p place) { i.Claims = readClaims(p) }},
		{"forward", func(i *Introspect, p place) { i.Forward = readForward(p) }},
	})
	for _, need := range []struct{ name, hint string }{
		{"url", "such as url: https://id.example/oauth2/introspect"},
		{"client-id", "the name that the gateway is registered by at the server"},
		{"client-secret", "such as client-secret: ./client-secret"},
	} {
		if _, ok := found[need.name]; !ok && p.IsMapping() {
			p.Problem(need.hint, "introspect needs %s", need.name)
		}
	}
	checkProviderTLS(found, "url", i.URL)
	return i
}

// readClaims reads what a token must say.
func readClaims(p place) (all []Claim) {
	for _, f := range p.fields() {
		all = append(all, Claim{Name: f.key, Value: f.value.text()})
	}
	return all
}

// readForward reads fields with the claims that upstreams get in them.
func readForward(p place) (all []Claim) {
	for _, f := range p.fields() {
		if _, message := checkFieldName(f.key); message != "" {
			f.named.Problem("such as {x-user: sub}", "%s", message)
		}
		all = append(all, Claim{Name: f.value.text(), Value: strings.ToLower(f.key)})
	}
	return all
}
