package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// Who may ask is told what a request came to, what each filter said and what it goes on with;
// nobody else is, and the upstream doesn't hear of the question.
func TestExplained(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Nanogate-Explain") != "" {
			t.Error("the upstream is asked too")
		}
	}))
	defer server.Close()
	up := strings.TrimPrefix(server.URL, "http://")
	const routes = `routes:
  - {name: open, match: {path: /open}, request-id: on, limit: {rate: 1000/s}, retry: {attempts: 2}, to: u}
  - {name: closed, match: {path: /closed}, allow: 10.0.0.0/8, limit: {rate: 1000/s}, to: u}
`
	ask := func(at, path string, fields ...string) string {
		r, _ := http.NewRequest("GET", "http://"+at+path, nil)
		for _, f := range fields {
			r.Header.Set(f, "1")
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Header.Get("Server-Timing")
	}
	_, at := start(t, "explain: 127.0.0.1\n"+routes+"upstreams: {u: [\""+up+"\"]}\n")
	for path, want := range map[string]string{
		"/open":   `route;desc="open", access.request-id;dur=[0-9.]+, limits.rate;dur=[0-9.]+, forwarding.retry`,
		"/closed": `route;desc="closed", access.access;dur=[0-9.]+;desc="403"`,
		"/none":   ``,
	} {
		if got := ask(at, path, "Nanogate-Explain"); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s: %s", path, got)
		}
		if got := ask(at, path); got != "" {
			t.Errorf("%s, unasked: %s", path, got)
		}
	}
	_, at = start(t, "explain: 10.0.0.0/8\n"+routes+"upstreams: {u: [\""+up+"\"]}\n")
	if got := ask(at, "/open", "Nanogate-Explain"); got != "" {
		t.Errorf("who may not ask is told %s", got)
	}
}
