package config

import (
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"dyno/nano/wire/http1"
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
	Cache    int           // how many verified tokens are kept

	Claims  []Claim // what a token must say besides
	Forward []Claim // fields, in lower case, with the claims that upstreams get in them
}

// Claim is a claim and what it is for: the value it must have, or hold if it is a list
// or words with spaces between; or the field that carries it on.
type Claim struct{ Name, Value string }

func readJWT(p place) *JWT {
	j := &JWT{At: p.at(), Leeway: 30 * time.Second, Refresh: 5 * time.Minute, Cache: 10_000}
	readFields(p, j, []known[JWT]{
		{"jwks", func(j *JWT, p place) { j.JWKS = p.pathOrURL() }},
		{"secret", func(j *JWT, p place) { j.Secret = p.path() }},
		{"issuer", func(j *JWT, p place) { j.Issuer = p.text() }},
		{"audience", func(j *JWT, p place) { j.Audience = p.text() }},
		{"type", func(j *JWT, p place) { j.Type = p.text() }},
		{"cookie", func(j *JWT, p place) { j.Cookie = p.token("cookie") }},
		{"leeway", func(j *JWT, p place) { j.Leeway = p.duration(0, 10*time.Minute) }},
		{"max-age", func(j *JWT, p place) { j.MaxAge = p.duration(time.Second, 366*24*time.Hour) }},
		{"refresh", func(j *JWT, p place) { j.Refresh = p.duration(time.Second, 24*time.Hour) }},
		{"cache", func(j *JWT, p place) { j.Cache = p.integer(0, 1_000_000) }},
		{"claims", func(j *JWT, p place) {
			for _, f := range p.fields() {
				j.Claims = append(j.Claims, Claim{f.key, f.value.text()})
			}
		}},
		{"forward", func(j *JWT, p place) {
			for _, f := range p.fields() {
				if !http1.ValidToken(f.key) {
					f.named.problem("such as {x-user: sub}", "expected the name of a header field, got %s", quote(f.key))
				}
				j.Forward = append(j.Forward, Claim{f.value.text(), strings.ToLower(readFieldName(f.named, f.key))})
			}
		}},
	})
	if (j.JWKS == "") == (j.Secret == "") && p.isMapping() {
		p.problem("such as jwks: ./jwks.json, or jwks: https://id.example/.well-known/jwks.json", "jwt needs its keys from exactly one of jwks and secret")
	}
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
		p.problem("such as https://id.example/.well-known/jwks.json", "expected a file or an https URL, got %s", quote(text))
	case u.Scheme == "http" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1":
		p.problem("write https://", "keys that come over plain http could be anybody's: only this machine's own addresses are taken")
	}
	return text
}
