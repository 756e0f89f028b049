package middleware

import (
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

func TestCORS(t *testing.T) {
	const ours, other = "https://app.example.com", "https://evil.example"
	list := CORSConfig{Origins: []string{ours, "https://*.example.org", "http://localhost:3000"}, Expose: []string{"X-Total"}}
	cookies := list
	cookies.Credentials, cookies.PrivateNetwork = true, true
	all := CORSConfig{Origins: []string{"*"}, Headers: []string{"*"}, MaxAge: -1}
	asked := CORSConfig{Allow: func(_ nano.Ctx, o string) bool { return strings.HasSuffix(o, ".test") || o == "null" }}
	preflight := []string{"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type"}
	const varies = "Access-Control-Request-Method, Access-Control-Request-Headers"
	for _, tt := range []struct {
		name    string
		config  CORSConfig
		method  string
		fields  []string
		want    string // fields of the response, in the order of corsFields
		status  int
		handled bool // the handler ran
	}{
		{"no origin", list, "GET", nil, "Vary: Origin", 200, true},
		{"allowed", list, "GET", []string{"Origin", ours}, "Origin: " + ours + "; Expose-Headers: X-Total; Vary: Origin", 200, true},
		{"with port", list, "POST", []string{"Origin", "http://localhost:3000"}, "Origin: http://localhost:3000; Expose-Headers: X-Total; Vary: Origin", 200, true},
		{"other port", list, "POST", []string{"Origin", "http://localhost:3001"}, "Vary: Origin", 200, true},
		{"other scheme", list, "GET", []string{"Origin", "http://app.example.com"}, "Vary: Origin", 200, true},
		{"below", list, "GET", []string{"Origin", "https://a.b.example.org"}, "Origin: https://a.b.example.org; Expose-Headers: X-Total; Vary: Origin", 200, true},
		{"not below", list, "GET", []string{"Origin", "https://example.org"}, "Vary: Origin", 200, true},
		{"looks below", list, "GET", []string{"Origin", "https://evilexample.org"}, "Vary: Origin", 200, true},
		{"nothing below", list, "GET", []string{"Origin", "https://.example.org"}, "Vary: Origin", 200, true},
		{"other", list, "GET", []string{"Origin", other}, "Vary: Origin", 200, true},
		{"null", list, "GET", []string{"Origin", "null"}, "Vary: Origin", 200, true},
		{"credentials", cookies, "GET", []string{"Origin", ours}, "Origin: " + ours + "; Credentials: true; Expose-Headers: X-Total; Vary: Origin", 200, true},
		{"all", all, "GET", []string{"Origin", other}, "Origin: *", 200, true},
		{"all, null", all, "GET", []string{"Origin", "null"}, "Origin: *", 200, true},
		{"function", asked, "GET", []string{"Origin", "https://a.test"}, "Origin: https://a.test; Vary: Origin", 200, true},
		{"function says no", asked, "GET", []string{"Origin", other}, "Vary: Origin", 200, true},
		{"function, null", asked, "GET", []string{"Origin", "null"}, "Vary: Origin", 200, true},
		{"preflight", list, "OPTIONS", append([]string{"Origin", ours}, preflight...),
			"Origin: " + ours + "; Methods: PUT, PATCH, DELETE; Headers: Content-Type; Max-Age: 600; Vary: " + varies + ", Origin", 204, false},
		{"preflight, not allowed", list, "OPTIONS", append([]string{"Origin", other}, preflight...), "Vary: " + varies + ", Origin", 204, false},
		{"preflight, all", all, "OPTIONS", append([]string{"Origin", other}, preflight...), "Origin: *; Methods: PUT, PATCH, DELETE; Headers: *; Max-Age: 0; Vary: " + varies, 204, false},
		{"preflight, private", cookies, "OPTIONS", append([]string{"Origin", ours, "Access-Control-Request-Private-Network", "true"}, preflight...),
			"Origin: " + ours + "; Credentials: true; Methods: PUT, PATCH, DELETE; Headers: Content-Type; Max-Age: 600; Private-Network: true; Vary: " + varies + ", Access-Control-Request-Private-Network, Origin", 204, false},
		{"options of its own", list, "OPTIONS", []string{"Origin", ours}, "Origin: " + ours + "; Vary: Origin", 200, true},
		{"options without origin", list, "OPTIONS", preflight, "Vary: Origin", 200, true},
	} {
		got := ask(app(CORS(tt.config)), tt.method, "/", tt.fields...)
		var fields []string
		for _, name := range []string{"Origin", "Credentials", "Methods", "Headers", "Expose-Headers", "Max-Age", "Private-Network"} {
			prefix := "Access-Control-Allow-"
			if name == "Expose-Headers" || name == "Max-Age" {
				prefix = "Access-Control-"
			}
			if v := got.Header.Values(prefix + name); len(v) > 0 {
				fields = append(fields, name+": "+strings.Join(v, ", "))
			}
		}
		if v := got.Header.Values("Vary"); len(v) > 0 {
			fields = append(fields, "Vary: "+strings.Join(v, ", "))
		}
		if s := strings.Join(fields, "; "); s != tt.want || got.Status != tt.status || (got.Text() == "hello") != tt.handled {
			t.Errorf("%s: %d\n got %s\nwant %s", tt.name, got.Status, s, tt.want)
		}
	}
}

func TestCORSOfAllResponses(t *testing.T) {
	cors := CORS(CORSConfig{Origins: []string{"https://a.example"}})
	for _, order := range [][]nano.Middleware{{cors, Recover(RecoverConfig{})}, {Recover(RecoverConfig{}), cors}} {
		a := app(order...)
		a.Get("/fails", func(c nano.Ctx) error { return nano.NewProblem(409, "") })
		a.Get("/panics", func(c nano.Ctx) error { panic("p") })
		a.Get("/varies", func(c nano.Ctx) error { c.SetHeader("Vary", "Accept"); return nil })
		a.Put("/put", func(c nano.Ctx) error { return nil })
		for _, target := range []string{"/fails", "/panics", "/varies", "/missing", "/put"} {
			got := ask(a, "GET", target, "Origin", "https://a.example")
			if got.Header.Get("Access-Control-Allow-Origin") != "https://a.example" || !strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Origin") {
				t.Errorf("%s: %v", target, got.Header)
			}
		}
		got := ask(a, "OPTIONS", "/put", "Origin", "https://a.example", "Access-Control-Request-Method", "PUT")
		if got.Status != 204 || got.Header.Get("Access-Control-Allow-Methods") == "" {
			t.Errorf("preflight of a path without a route for OPTIONS: %d %v", got.Status, got.Header)
		}
	}
}

func TestCORSConfig(t *testing.T) {
	for _, config := range []CORSConfig{
		{},
		{Origins: []string{"*"}, Credentials: true},
		{Origins: []string{"https://a.example"}, Headers: []string{"*"}, Credentials: true},
		{Origins: []string{"a.example"}},
		{Origins: []string{"https://a.example/"}},
		{Origins: []string{"https://A.example"}},
		{Origins: []string{"https://a.*.example"}},
		{Origins: []string{"null"}},
	} {
		mustPanic(t, strings.Join(config.Origins, " "), func() { CORS(config) })
	}
	CORS(CORSConfig{Origins: []string{"https://[::1]:8080"}, MaxAge: time.Hour})
}
