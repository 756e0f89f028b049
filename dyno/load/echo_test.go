package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// A server that shows what it was asked gets no secret into what is kept of its responses.
func TestEchoedSecretsAreHidden(t *testing.T) {
	t.Setenv("DYNO_TEST_TOKEN", "tok%en/of-env")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, _ := httputil.DumpRequest(r, true)
		user, password, _ := r.BasicAuth()
		fmt.Fprintf(w, "%s\nuser %s with %s\n%q", dump, user, password, r.Header)
	}))
	t.Cleanup(s.Close)
	for _, auth := range []string{"bearer {{env DYNO_TEST_TOKEN}}", "basic ann:swordfish-9", ""} {
		r, err := Run(t.Context(), Spec{
			Target: s.URL, MaxRequests: 6, Profile: profile.Profile{Mode: profile.Closed, Connections: 1},
			Requests: []request.Request{{
				Name: "it", Method: "GET", Path: "/", Auth: auth, Expect: []string{"body contains NOTHING OF IT"},
				Headers: []request.Header{{Name: "X-Api-Key", Value: `hunter"22<>`}, {Name: "X-Note", Value: "plain"}},
				Cookies: []request.Header{{Name: "sid", Value: "c00kie-value"}},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Failures) == 0 {
			t.Fatalf("nothing failed: %v", r.FirstErrors)
		}
		text := fmt.Sprint(r.Failures, r.FirstErrors)
		for _, secret := range []string{"tok%en/of-env", "swordfish-9", "YW5uOnN3b3JkZmlzaC05", "hunter", "c00kie-value"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is kept: %s", auth, secret, text)
			}
		}
		if !strings.Contains(text, "X-Note: plain") || !strings.Contains(text, request.Redacted) {
			t.Errorf("%s: kept is %s", auth, text)
		}
	}
}

// A text that is cut within a secret has none of it.
func TestCutSecret(t *testing.T) {
	e := newEchoed([]request.Request{{Headers: []request.Header{{Name: "Authorization", Value: "Bearer swordfish"}}}})
	for text, want := range map[string]string{
		"is swordfish.":   "is ***.",
		"is swordf…":      "is ***…",
		"is swo…":         "is swo…",
		"is swordf":       "is swordf",
		`got "swordf"…`:   `got "***"…`,
		"Bearer swordfi…": "***…",
	} {
		if got := e.hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
