package study

import (
	"dyno.example/dyno/load/request"
)

// identityAt reads the identity of a request: credentials and cookies.
func identityAt(f map[string]scope, r *request.Request) {
	if v, ok := f["auth"]; ok {
		if auth := v.filled(""); auth != "" && v.check(request.Request{Path: "/", Auth: auth, Headers: r.Headers}) {
			r.Auth = auth
		}
	}
	if v, ok := f["cookies"]; ok {
		r.Cookies = cookiesAt(v, r.Headers)
	}
	if v, ok := f["cookie_jar"]; ok {
		r.Jar = v.Boolean()
		v.check(request.Request{Path: "/", Jar: r.Jar, Headers: r.Headers})
	}
}

func cookiesAt(at scope, headers []request.Header) []request.Header {
	var cookies []request.Header
	for _, e := range at.entries() {
		value, ok := e.value.text()
		c := request.Header{Name: e.key, Value: value}
		if ok && e.name.check(request.Request{Path: "/", Cookies: []request.Header{c}, Headers: headers}) {
			cookies = append(cookies, c)
		}
	}
	return cookies
}
