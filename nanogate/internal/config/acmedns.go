package config

import (
	"net"
	"slices"
	"strings"
	"time"
)

// DNS01 is how an authority checks by a record in the DNS (RFC 8555 8.4): the one way for
// names of all hosts below one.
const DNS01 = "dns-01"

// ACMEDNS is where the records are made that an authority checks by: a name server that takes
// signed updates (RFC 2136, RFC 8945), such as BIND, Knot or PowerDNS.
type ACMEDNS struct {
	Server string        // host:port
	Key    string        // file of the key that updates are signed with, as tsig-keygen writes it
	Zone   string        // that the records are in; "": the server is asked
	Check  []string      // host:port of who has to know a record before the authority is told; none: Server
	Wait   time.Duration // for that, at most
}

const acmeDNSExample = "such as dns: {server: ns1.shop.example, key: ./tsig.key}"

func readACMEDNS(p place) *ACMEDNS {
	d := &ACMEDNS{Wait: time.Minute}
	found := readFields(p, d, []known[ACMEDNS]{
		// The server that takes updates (RFC 2136), port 53 without one. Default: required
		{"server", func(d *ACMEDNS, p place) { d.Server = p.nameServer() }},
		// File of the key that updates are signed with, as `tsig-keygen` writes it. Default:
		// required
		{"key", func(d *ACMEDNS, p place) { d.Key = p.secretFile() }},
		// The zone that the records are in. Default: the server is asked
		{"zone", func(d *ACMEDNS, p place) {
			if d.Zone = strings.ToLower(strings.TrimSuffix(p.text(), ".")); d.Zone != "" && !isDomain(d.Zone) {
				p.Problem("such as shop.example", "expected the name of a zone, got %s", form.Quote(d.Zone))
			}
		}},
		// Servers that must have a record before the authority is asked to check it. Default: `server`
		{"check", func(d *ACMEDNS, p place) {
			for _, item := range p.list() {
				d.Check = append(d.Check, item.nameServer())
			}
		}},
		// How long these are waited for.
		{"wait", func(d *ACMEDNS, p place) { d.Wait = p.Duration(10*time.Millisecond, 10*time.Minute) }},
	})
	for _, name := range []string{"server", "key"} {
		if _, ok := found[name]; !ok && p.IsMapping() {
			p.Problem(acmeDNSExample, "dns needs %s", name)
		}
	}
	return d
}

// nameServer reads the address of a name server, whose port is 53 if none is said.
func (p place) nameServer() string {
	text := p.text()
	if text == "" {
		return ""
	}
	at := text
	if _, _, err := net.SplitHostPort(at); err != nil {
		at = net.JoinHostPort(strings.Trim(at, "[]"), "53")
	}
	if a, err := ParseAddress(at); err != nil || a.Unix != "" || strings.ContainsAny(at, "/") {
		p.Problem("such as ns1.shop.example or 192.0.2.53:5353", "expected the address of a name server, got %s", form.Quote(text))
		return ""
	}
	return at
}

// linkDNS holds the ways to check against what they need.
func (a *ACME) linkDNS(found map[string]place) {
	at, asked := found["challenge"]
	if a.DNS != nil && !asked {
		a.Challenges = []string{DNS01}
	}
	switch {
	case a.DNS == nil && a.has(DNS01):
		at.Problem("add: "+strings.TrimPrefix(acmeDNSExample, "such as "), "for dns-01 records are made, and nothing says where")
	case a.DNS != nil && !a.has(DNS01):
		found["dns"].Problem("add dns-01 to challenge, or remove dns", "the authority isn't to check by dns-01")
	}
	for _, name := range a.Domains {
		if IsWildcard(name) && !a.has(DNS01) {
			found["domains"].Problem("add: "+strings.TrimPrefix(acmeDNSExample, "such as ")+"; or name each host, or give it a certificate of your own under certificates", "an authority gives certificates for all names below one, as %s is, only to those who prove it by DNS (dns-01)", name)
			return
		}
	}
}

func (a *ACME) has(challenge string) bool { return slices.Contains(a.Challenges, challenge) }

// IsWildcard reports whether a name is for all hosts below one.
func IsWildcard(name string) bool { return strings.HasPrefix(name, "*.") }
