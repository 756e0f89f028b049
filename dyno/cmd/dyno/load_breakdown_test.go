package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mixed responds to /a with 200, /b with 201, and /c with 404.
func mixed(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[string]int{"/a": 200, "/b": 201}[r.URL.Path] + 404*min(1, strings.Count(r.URL.Path, "/c")))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The text, the object and the page say how many responses had which status, and
// what became of each kind of request of a mix.
func TestLoadBreakdown(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	mix := "- {name: first, get: /a, weight: 8}\n- {name: second, get: /b, weight: 11}\n- {name: third, get: /c}\n"
	if err := os.WriteFile(filepath.Join(home, "mix.yaml"), []byte(mix), 0o600); err != nil {
		t.Fatal(err)
	}
	o := undisturbed(t, home, "load", "-c", "2", "-n", "600", "--max-errors", "50%", "--request", "mix.yaml", mixed(t), "-o", "o.json", "-o", "r.html")
	o.want(t, 0, o.stdout, "status", "200: ", "   201: ", "   404: ", "request ", "first ", "second ", "third ")
	var got struct {
		Statuses  map[string]uint64
		ByRequest []struct {
			Name     string
			Requests uint64
			Errors   map[string]uint64
			Response map[string]*float64 `json:"response_us"`
		} `json:"by_request"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(home, "o.json"))), &got); err != nil {
		t.Fatal(err)
	}
	if sum := got.Statuses["200"] + got.Statuses["201"] + got.Statuses["404"]; sum != 600 || len(got.Statuses) != 3 {
		t.Errorf("statuses %v", got.Statuses)
	}
	if len(got.ByRequest) != 3 || got.ByRequest[0].Requests != got.Statuses["200"] || got.ByRequest[2].Errors["status"] != got.Statuses["404"] || got.ByRequest[1].Name != "second" || got.ByRequest[1].Response["p90"] == nil {
		t.Errorf("requests %+v of %v", got.ByRequest, got.Statuses)
	}
	contains(t, read(t, filepath.Join(home, "r.html")), "Responses by status", "404 Not Found", "Request by request", `<th scope="row">second</th>`)
}

func TestLoadOfARedirect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.RedirectHandler("https://elsewhere.example/start?token=s3cr3t", http.StatusMovedPermanently))
	t.Cleanup(server.Close)
	o := undisturbed(t, t.TempDir(), "load", "-c", "2", "-n", "200", server.URL)
	o.want(t, 0, o.stdout, "SUSPECT", "redirected: 200 of 200 responses were redirects, as 301 Moved Permanently to https://elsewhere.example/start…, and are not followed", "301: 200")
	if strings.Contains(o.stdout, "s3cr3t") {
		t.Errorf("the query is shown: %s", o.stdout)
	}
	o = undisturbed(t, t.TempDir(), "load", "-c", "2", "-n", "200", server.URL, "--expect", "status 301")
	if o.want(t, 0, o.stdout, "301: 200"); strings.Contains(o.stdout, "redirected") {
		t.Errorf("it was expected: %s", o.stdout)
	}
}
