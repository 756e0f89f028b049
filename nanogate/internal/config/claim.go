package config

import "strings"

// Claim is a claim and what it is for: the value it must have, or hold if it is a list
// or words with spaces between; or the field that carries it on.
type Claim struct {
	Name, Value string
	Identity    bool // the field says who somebody is
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

// readForwardName reads the name of a field that an upstream is given.
func readForwardName(p place) string {
	return strings.ToLower(readFieldName(p, p.token("header field")))
}
