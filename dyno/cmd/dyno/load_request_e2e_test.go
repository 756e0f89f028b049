package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// seen is what a server was asked.
type seen struct {
	mu    sync.Mutex
	lines map[string]int // "METHOD /path?query user:password cookie body"
}

// recordingServer responds with {"ok": true}, but /wrong with {"ok": false}, and sets
// a cookie.
func recordingServer(t *testing.T) (*seen, string) {
	t.Helper()
	s := &seen{lines: make(map[string]int)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		user, password, _ := r.BasicAuth()
		line := strings.Join([]string{r.Method, r.URL.RequestURI(), user + ":" + password, r.Header.Get("Cookie"), string(body)}, " ")
		s.mu.Lock()
		s.lines[line]++
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "h1dd3n"})
		if r.URL.Path == "/wrong" {
			io.WriteString(w, `{"ok": false}`)
			return
		}
		io.WriteString(w, `{"ok": true}`)
	}))
	t.Cleanup(server.Close)
	return s, server.URL
}

// all returns what was asked, in order.
func (s *seen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for line := range s.lines {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func write(t *testing.T, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadTemplates(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server, url := recordingServer(t)
	users := write(t, home, "users.csv", "id,name\n1,ann\n2,bo b\n")
	o := dyno(t, home, "load", "-c", "1", "-m", "PUT", "--feed", "users="+users+",stop", "--auth", "{{feed.users.name}}:pw", "--cookies", "--cookie", "a=b",
		"-b", "{{feed.users.name}}", "--expect", "json $.ok == true", "--expect", "header content-type contains json", url+"/{{feed.users.id}}?q={{url feed.users.name}}")
	o.want(t, 0, o.stdout, "requests in")
	want := []string{"PUT /1?q=ann ann:pw a=b ann", "PUT /2?q=bo%20b bo b:pw a=b; sid=h1dd3n bo b"}
	if got := server.all(); !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestLoadRequestFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server, url := recordingServer(t)
	write(t, home, "users.jsonl", `{"id": 7}`)
	mix := write(t, home, "mix.yaml", "feeds: {u: users.jsonl}\nrequests:\n- {get: '/{{feed.u.id}}', auth: basic own:pw}\n- {post: /b, body: x, weight: 3, expect: [json $.ok exists]}\n")
	o := dyno(t, home, "load", "-n", "200", "-c", "2", "--request", mix, "--auth", "ann:pw", url)
	o.want(t, 0, o.stderr, "2 kinds of requests")
	if got := server.all(); !slices.Equal(got, []string{"GET /7 own:pw  ", "POST /b ann:pw  x"}) {
		t.Errorf("asked %q", got)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	all := 0 // more than 200 if the load was run again
	for _, n := range server.lines {
		all += n
	}
	if n := server.lines["POST /b ann:pw  x"]; 10*n < 6*all || 10*n > 9*all {
		t.Errorf("%d of %d requests have three quarters of the weight", n, all)
	}
}

func TestLoadVegetaTargets(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server, url := recordingServer(t)
	body := write(t, home, "body.txt", "hello")
	targets := write(t, home, "targets.txt", "GET "+url+"/a\n\nPOST "+url+"/b\nX-A: b\n@"+body+"\n")
	o := dyno(t, home, "load", "-n", "100", "-c", "1", "--targets", targets, url)
	o.want(t, 0, o.stdout, "requests in")
	if got := server.all(); !slices.Equal(got, []string{"GET /a :  ", "POST /b :  hello"}) {
		t.Errorf("asked %q", got)
	}
}

// TestLoadKeepsFailures: what was not as expected is shown, without secrets.
func TestLoadKeepsFailures(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	_, url := recordingServer(t)
	args := []string{"load", "-n", "50", "-c", "1", "--auth", "ann:h1dd3n", "--expect", "json $.ok == true", "--html", filepath.Join(home, "r.html"), url + "/wrong"}
	o := dyno(t, home, args...)
	o.want(t, 1, o.stdout, "expect (json $.ok == true: got false)", "such as      expect: GET /wrong HTTP/1.1", `HTTP/1.1 200 OK, {"ok": false}`)
	contains(t, o.stderr, "100.00 % of the requests failed", "json $.ok == true: got false")
	page := read(t, filepath.Join(home, "r.html"))
	contains(t, page, "Failed requests", "Not as expected", "GET /wrong HTTP/1.1", "{&#34;ok&#34;: false}")

	object := dyno(t, home, append(args[:len(args)-3:len(args)-3], "--json", url+"/wrong")...)
	var r struct {
		Errors   map[string]uint64 `json:"errors"`
		Failures []struct {
			Kind, Why, Sent, Received string
		} `json:"failures"`
	}
	if err := json.Unmarshal([]byte(object.stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.Errors["expect"] == 0 || len(r.Failures) != 10 {
		t.Fatalf("errors %v, %d failures", r.Errors, len(r.Failures))
	}
	if f := r.Failures[0]; f.Kind != "expect" || f.Why != "json $.ok == true: got false" || !strings.Contains(f.Sent, "Authorization: ***\r\n") || !strings.HasSuffix(f.Received, "\r\n\r\n{\"ok\": false}") {
		t.Errorf("%+v", f)
	}
	for _, text := range []string{o.stdout, o.stderr, object.stdout, page} {
		if strings.Contains(text, "h1dd3n") {
			t.Errorf("a secret is shown:\n%s", text)
		}
	}
}

func TestLoadRequestWrongUsage(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bad := write(t, home, "bad.csv", "a,b\n1\n")
	mix := write(t, home, "mix.yaml", "- {get: '/{{nope}}'}\n")
	targets := write(t, home, "t.txt", "GET http://other/\n")
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"--feed", "users", "host"}, "users=users.csv"},
		{[]string{"--feed", "u=" + bad + ",sorted", "host"}, `"sorted" is none of in-order`},
		{[]string{"--feed", "u=" + bad, "host"}, "bad.csv:2: wrong number of fields"},
		{[]string{"--feed", "u=none.csv", "host"}, "none.csv"},
		{[]string{"--auth", "s3cr3t", "host"}, "USER:PASSWORD"},
		{[]string{"http://ann:s3cr3t@host/"}, "give --auth USER:PASSWORD"},
		{[]string{"ann:s3cr3t@host/{{int 1 9}}"}, "give --auth USER:PASSWORD"},
		{[]string{"--auth", "a:b", "--bearer", "c", "host"}, "one of them"},
		{[]string{"--auth", "env:DYNO_NOT_SET", "host"}, "DYNO_NOT_SET"},
		{[]string{"--bearer", "env:DYNO_NOT_SET", "host"}, "environment variable DYNO_NOT_SET is not set"},
		{[]string{"--bearer", "@none", "host"}, "--bearer: open none"},
		{[]string{"--cookie", "a", "host"}, "NAME=VALUE"},
		{[]string{"--expect", "body", "host"}, "body contains hello"},
		{[]string{"host/{{nope}}"}, "there is no placeholder"},
		{[]string{"--request", mix, "host"}, "mix.yaml:1:9: [0].get: "},
		{[]string{"--request", mix, "--targets", targets, "host"}, "give one of them"},
		{[]string{"--request", mix, "-m", "PUT", "host"}, "--method and --body go without it"},
		{[]string{"--targets", targets, "host/x"}, "end the URL after the port"},
		{[]string{"--targets", targets, "host"}, `t.txt:1: "http://other/" is not at http://host`},
	} {
		o := dyno(t, home, append([]string{"load"}, c.args...)...)
		o.want(t, 2, o.stderr, c.why)
		if strings.Contains(o.stderr, "s3cr3t") {
			t.Errorf("a secret is shown: %s", o.stderr)
		}
	}
}
