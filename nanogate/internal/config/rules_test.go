package config

import (
	"strings"
	"testing"
)

// What is wrong with a rule is said with its place in the file and in the expression.
func TestRules(t *testing.T) {
	for text, want := range map[string]string{
		`rules: "request.method == 'GET'"`:                                                   "",
		`rules: ["request.tls", {deny: "request.path == '/x'", status: 404, message: "no"}]`: "",
		`match: {path: "/a/{id}"}, rules: {require: "params.id == '1'"}`:                     "",
		`jwt: {jwks: ./k.json}, rules: "has(jwt.sub)"`:                                       "",
		`rules: "request.method = 'GET'"`:                                                    "f.yaml:3:13: routes[0].rules: 1:16 of the expression: Syntax error",
		`rules: ["request.tls", "has(jwt.sub)"]`:                                             "f.yaml:3:29: routes[0].rules[1]: 1:5 of the expression: there is no jwt (add jwt to the route, which says who it is)",
		`rules: [{deny: "request.adress == ''"}]`:                                            "f.yaml:3:21: routes[0].rules[0].deny: 1:1 of the expression: there is no request",
		`rules: [{deny: "request.tls", require: "request.tls"}]`:                             "exactly one of require and deny",
		`rules: [{status: 404}]`:                                                             "exactly one of require and deny",
		`rules: [{deny: "request.tls", status: 200}]`:                                        "expected a whole number from 400 to 599",
		`rules: [{if: "request.tls"}]`:                                                       "unknown field",
		`rules: ""`:                                                                          "expected an expression",
		`rules: "request.method"`:                                                            "has to be true or false",
		`cache: {}, rules: "request.tls"`:                                                    "say shared: true",
		`rules: [` + strings.Repeat(`"true",`, 33) + `]`:                                     "expected at most 32 rules",
		`use: [{a: {b: 1}}, c]`:                                                              "",
		`use: [{a: 1, b: 2}]`:                                                                "expected the name of a middleware",
	} {
		c, err := Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes:\n  - {"+text+", to: \"http://127.0.0.1:9000\"}\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		case want == "" && len(c.Routes[0].Rules) > 0 && c.Routes[0].Rules[0].Rule == nil:
			t.Errorf("%s: the rule isn't there", text)
		}
	}
}

// Routes of the same rule share what it was made, if they know the same.
func TestRulesAreShared(t *testing.T) {
	c, err := Parse("f.yaml", []byte(`listen: 127.0.0.1:0
routes:
  - {match: {path: /a}, rules: "request.tls", to: "http://127.0.0.1:9000"}
  - {match: {path: /b}, rules: "request.tls", to: "http://127.0.0.1:9000"}
  - {match: {path: "/{c}"}, rules: "request.tls", to: "http://127.0.0.1:9000"}
`))
	if err != nil {
		t.Fatal(err)
	}
	of := func(i int) any { return c.Routes[i].Rules[0].Rule }
	if of(0) != of(1) || of(0) == of(2) {
		t.Errorf("%p %p %p", of(0), of(1), of(2))
	}
}
