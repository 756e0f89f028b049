package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// feedFile writes a feed beside the test.
func feedFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRequestProblems(t *testing.T) {
	feeds := []request.Feed{{Name: "f", File: feedFile(t, "f.csv", "id,path\n1,/ok\n2,no\n\"a b\",/\n")}}
	env, err := request.Environment(feeds)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		request request.Request
		want    string
	}{
		{request.Request{Path: "/{{feed.f.nope}}"}, `path: {{feed.f.nope}}: `},
		{request.Request{Path: "{{feed.f.path}}"}, `path "{{feed.f.path}}" must start with "/", also with `},
		{request.Request{Path: "{{int 1 2}}"}, `must start with "/"`},
		{request.Request{Path: "/{{feed.f.id}}"}, `f.csv:4: column "id": "a b" holds white space or a control character and can't be in a path; write the placeholder as {{url …}}`},
		{request.Request{Path: "/", Headers: []request.Header{{Name: "X", Value: `{{choice "a" "b\r\nc"}}`}}}, "value of header X holds a control character (a choice)"},
		{request.Request{Path: "/", Body: "{{"}, "body: "},
		{request.Request{Path: "/", Auth: "basic s3cr3t"}, "auth must be basic USER:PASSWORD or bearer TOKEN"},
		{request.Request{Path: "/", Auth: "digest a:b"}, "auth must be"},
		{request.Request{Path: "/", Auth: "bearer a", Headers: []request.Header{{Name: "authorization", Value: "b"}}}, "both auth and a header Authorization are given"},
		{request.Request{Path: "/", Cookies: []request.Header{{Name: "a b", Value: "c"}}}, `cookie name "a b" is not valid`},
		{request.Request{Path: "/", Cookies: []request.Header{{Name: "a", Value: "b;c"}}}, "value of cookie a holds ';'"},
		{request.Request{Path: "/", Jar: true, Headers: []request.Header{{Name: "Cookie", Value: "a=b"}}}, "both cookies and a header Cookie are given"},
		{request.Request{Path: "/", Expect: []string{"body is a"}}, `expectation "body is a": `},
	} {
		if err := c.request.Check(env); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.request, err, c.want)
		}
	}
	if err := (&request.Request{Path: "/{{url feed.f.id}}"}).Check(env); err != nil {
		t.Error(err)
	}
}

func TestFeedProblems(t *testing.T) {
	for _, c := range []struct {
		feed request.Feed
		want string
	}{
		{request.Feed{Name: "", File: "f.csv"}, "a feed's name must not be empty"},
		{request.Feed{Name: "a.b", File: "f.csv"}, "must not be empty nor hold spaces, dots"},
		{request.Feed{Name: "a", File: "f.csv", Order: "shuffled"}, `order "shuffled" is neither`},
		{request.Feed{Name: "a", File: "f.csv", End: "never"}, `end "never" is neither`},
		{request.Feed{Name: "a", File: "f.csv", Order: request.Random, End: request.Stop}, "no last one to stop after"},
		{request.Feed{Name: "a", File: "f.txt"}, "f.txt: a feed's file must end in .csv, .jsonl or .ndjson"},
		{request.Feed{Name: "a", File: "/nonexistent/f.csv"}, "feed a: open /nonexistent/f.csv: no such file"},
		{request.Feed{Name: "a", File: feedFile(t, "f.csv", "a,b\n1\n")}, "f.csv:2: wrong number of fields"},
	} {
		if err := c.feed.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.feed, err, c.want)
		}
	}
	twice := request.Feed{Name: "a", File: feedFile(t, "f.csv", "a\n1\n")}
	if _, err := request.Environment([]request.Feed{twice, twice}); err == nil || !strings.Contains(err.Error(), "two feeds are called a") {
		t.Errorf("got %v", err)
	}
}

// TestEveryRowIsSentOnce sends a feed that stops the load, from several loops,
// with cookies, to a server of the standard library, which judges the framing.
func TestEveryRowIsSentOnce(t *testing.T) {
	const rows = 101
	var file strings.Builder
	for i := range rows {
		fmt.Fprintf(&file, "{\"id\": %d, \"text\": %q}\n", i, strings.Repeat("x", i))
	}
	path := feedFile(t, "f.jsonl", file.String())
	eachEngine(t, func(t *testing.T, engine string) {
		var mu sync.Mutex
		got := make(map[string]string)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got[r.URL.Path] = string(body)
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/"})
			if c, err := r.Cookie("seen"); err == nil {
				w.Header().Set("X-Seen", c.Value)
			}
		}))
		defer server.Close()
		s := spec(server.URL, profile.Profile{Mode: profile.Closed, Connections: 4})
		s.Engine, s.Threads, s.Timeout = engine, 2, s.Duration*100
		s.Duration = 100 * s.Duration
		s.Feeds = []request.Feed{{Name: "f", File: path, End: request.Stop}}
		s.Requests = []request.Request{{Method: "POST", Path: "/{{feed.f.id}}", Body: "{{feed.f.text}}", Jar: true, Expect: []string{"header x-seen == yes"}}}
		r := ran(t, s)
		if all := allWindows(r); all.Sent != rows || all.Errors.Expect != 4 || all.Errors.Total() != 4 {
			t.Errorf("%d requests sent, errors %+v: %v; only the first on each connection has no cookie", all.Sent, all.Errors, r.FirstErrors)
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range rows {
			if got[fmt.Sprintf("/%d", i)] != strings.Repeat("x", i) {
				t.Fatalf("row %d was sent as %q", i, got[fmt.Sprintf("/%d", i)])
			}
		}
	})
}

// TestLoopsWithNothingToSend: of several loops for which a feed has no row, some
// have requests to send before they need one.
func TestLoopsWithNothingToSend(t *testing.T) {
	s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Open, Connections: 8, Rate: 1000})
	s.Threads, s.Duration, s.Feeds = 4, time.Minute, []request.Feed{{Name: "f", File: feedFile(t, "f.csv", "id\n1\n"), End: request.Stop}}
	s.Requests = []request.Request{{Method: "GET", Path: "/{{feed.f.id}}"}, {Method: "GET", Path: "/"}}
	for s.Seed = 1; ; s.Seed++ {
		shares, err := s.split(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if last := shares[len(shares)-1].Part; last >= len(shares) {
			break // one before it has nothing to send
		}
	}
	if all := everything(ran(t, s)); all.Completed+all.Drained == 0 || all.Errors.Total() != 0 {
		t.Errorf("completed %d, errors %+v", all.Completed, all.Errors)
	}
}
