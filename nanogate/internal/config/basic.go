package config

import "strings"

// Basic lets in who has a password of a file (RFC 7617).
type Basic struct {
	At      At
	File    string // "user:hash" a line, as htpasswd -B writes it; read again when it changes
	Realm   string // what the password is for, as browsers show it
	Forward string // the field, in lower case, that tells the upstream the user's name; "": none
	Keep    bool   // Authorization goes on to the upstream
	Cache   int    // how many credentials that were right are remembered, with their client, by a keyed hash

	Failures Failures
}

func readBasic(p place) *Basic {
	b := &Basic{At: p.At(), Realm: "gateway", Cache: 10_000, Failures: failuresOf(10, 60)}
	found := readFields(p, b, []known[Basic]{
		// `user:hash` a line, as `htpasswd -B` writes it, read again when it changes. Default:
		// required
		{"file", func(b *Basic, p place) { b.File = p.path() }},
		// What the password is for, as browsers show it.
		{"realm", func(b *Basic, p place) {
			if b.Realm = p.text(); strings.ContainsFunc(b.Realm, func(r rune) bool { return r > '~' || r == '"' || r == '\\' }) {
				p.Problem("such as realm: intern", "expected plain letters without quotes, got %s", form.Quote(b.Realm))
			}
		}},
		// The header field that tells the upstream the user's name. Default: none
		{"forward", func(b *Basic, p place) { b.Forward = readForwardName(p) }},
		// Authorization is forwarded to the upstream. Default: `false`
		{"keep", func(b *Basic, p place) { b.Keep = p.Boolean() }},
		// Credentials that were right and are remembered, by a keyed hash.
		{"cache", func(b *Basic, p place) { b.Cache = p.Integer(0, 1_000_000) }},
		// How many wrong passwords are tried before a client has to wait, or `off`.
		{"failures", func(b *Basic, p place) { b.Failures = readFailures(p, b.Failures, true) }},
	})
	if _, ok := found["file"]; !ok && p.IsMapping() {
		p.Problem("such as file: ./htpasswd, written by: htpasswd -B -c htpasswd ann", "basic needs a file of passwords")
	}
	return b
}
