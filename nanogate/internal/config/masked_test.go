package config

import (
	"strings"
	"testing"
)

// What is shown of a configuration has no secrets in it, whatever name they stand under, and
// all else.
func TestMasked(t *testing.T) {
	for text, kept := range map[string]string{
		"{request-headers: {set: {x-internal: S3CRET}, add: {X-Shared: S3CRET}, remove: [x-old]}}":                      "x-internal x-old X-Shared",
		"{mirror: {to: u, request-headers: {set: {x-internal: S3CRET}}}}":                                               "x-internal to: u",
		"{response-headers: {set: {x-version: v7, x-api-key: S3CRET}}}":                                                 "v7",
		"{match: {headers: {x-secret-token: S3CRET, x-version: v2}, query: {sig: S3CRET}, cookies: {session: S3CRET}}}": "v2 x-secret-token",
		"{rewrite: '/v{n}?api_key=S3CRET&lang=de&code=S3CRET'}":                                                         "/v{n}?api_key= &lang=de",
		"{redirect: {to: 'https://a.example/?next={path}&token=S3CRET'}}":                                               "next={path}&token=",
		"{redirect: 'https://ann:S3CRET@a.example/{path}'}":                                                             "@a.example/{path}",
		"{endpoints: ['http://ann:S3CRET@10.0.0.1:80', 'http://10.0.0.2:80']}":                                          "10.0.0.1:80 http://10.0.0.2:80",
		`{rules: ["request.headers['x-shared'] == 'S3CRET7f9a' && jwt.tenant == 'acme'"]}`:                              "request.headers['x-shared'] 'acme'",
		`{rules: [{require: "request.query.a == 'S3CRET7f9a'", message: no}, {deny: "request.path == '/v1/x'"}]}`:       "request.query.a '/v1/x' message: no",
		"{respond: {body: 'Bearer S3CRET'}}":                                                                            "body",
		"{respond: {body: 'here: eyJhbGciOiJub25lIn0.S3CRET.S3CRET'}}":                                                  "here: ",
		"{a: ghp_S3CRETS3CRETS3CRETS3CRET, b: sk_live_S3CRET, c: xoxb-S3CRET}":                                          "a b c",
		"{jwt: {secret: ./hs256, jwks: 'https://id.example/keys?v=2'}, keys: {file: ./keys, header: x-api-key}}":        "./hs256 https://id.example/keys?v=2 ./keys x-api-key",
		"{match: {path: '/users/{id}/*', host: www.example.com}, to: users, timeout: 150ms}":                            "/users/{id}/* www.example.com users 150ms",
	} {
		got := masked("", text)
		if strings.Contains(got, "S3CRET") {
			t.Errorf("%s is shown as %s", text, got)
		}
		for word := range strings.FieldsSeq(kept) {
			if !strings.Contains(got, word) {
				t.Errorf("%s is shown as %s, without %s", text, got, word)
			}
		}
	}
	for c, want := range map[Condition]string{
		{Name: "x-secret-token", Value: "S3CRET"}:               "(hidden)",
		{Name: "x-secret-token", Value: "S3CRET", Kind: Begins}: "(hidden)",
		{Name: "x-secret-token", Kind: Present}:                 "*",
		{Name: "x-version", Value: "2"}:                         "2",
		{Name: "x-version", Value: "Bearer S3CRET"}:             "(hidden)",
	} {
		if got := c.Shown(); got != want {
			t.Errorf("%+v is shown as %s", c, got)
		}
	}
}
