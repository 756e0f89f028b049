package nano_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dyno.example/nano"
)

// FuzzPattern registers patterns: a wrong one panics with a message that names
// the place, a right one is found by a request made of it.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{
		"GET /users/{id}", "/files/{path...}", "/exact/{$}", "example.com/", "{t}.example.com/x", "/a%2Fb", "/%", "/{", "/}", "//", "/./",
		"GET  /", "[::1]/", "G E T /", "/{a}{b}", "/\x00", "/{é}/ü", "POST h:80/", ".", "/{$}{$}", "/a/{a...}/", "{x}./", "A%/",
	} {
		f.Add(s, "/users/7")
	}
	f.Fuzz(func(t *testing.T, pattern, more string) {
		app := nano.New(nano.Config{})
		if !registers(t, app, pattern, tell) || !registers(t, app, more, tell) {
			return
		}
		r := app.Routes()[0]
		method := r.Method()
		if method == "" {
			method = "GET"
		}
		values := []string{}
		for _, p := range r.Params() {
			values = append(values, p, "v")
		}
		named := nano.New(nano.Config{})
		named.Handle(pattern, tell, nano.Name("r"))
		to, err := named.URL("r", values...)
		if err != nil && strings.Contains(err.Error(), "would not match") {
			return // its constraint takes no "v"
		}
		if err != nil {
			t.Fatalf("URL of %q: %v", pattern, err)
		}
		u, err := url.Parse(to)
		if err != nil {
			return // a host that no URL can hold
		}
		w := httptest.NewRecorder()
		named.ServeHTTP(w, &http.Request{Method: method, URL: u, Host: u.Host, Body: http.NoBody})
		if w.Code != 200 {
			t.Fatalf("%q is not found at %q: %d %s", pattern, to, w.Code, w.Body)
		}
	})
}

// registers adds a pattern and reports whether it was taken.
func registers(t *testing.T, app *nano.App, pattern string, h nano.Handler) (ok bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if s, isText := p.(string); !isText || !strings.HasPrefix(s, "nano: ") || !strings.Contains(s, "router_fuzz_test.go:") {
			t.Fatalf("%q: not a message: %v", pattern, p)
		}
	}()
	app.Handle(pattern, h)
	return true
}

// FuzzMatch compares with net/http's ServeMux. The documented differences:
//   - paths with escapes of "/", "." or "%" are left out: ServeMux takes a segment
//     that is all "%2F" for a slash at the end, doesn't clean ".." in escapes, and
//     compares literals after an unescape that is allowed to fail;
//   - ServeMux refuses patterns that overlap without one being more specific;
//     sets with such patterns are left out;
//   - patterns that can only match CONNECT, hosts that no DNS name can be, and
//     what other routers or URLs mean by ":", "*", "<", "?" and "#" are refused;
//   - redirects have other status codes, and a path with a slash too many is
//     redirected where ServeMux has nothing.
func FuzzMatch(f *testing.F) {
	f.Add("GET /a/{x}\n/a/b\nPOST /a/{x}/", "GET", "/a/b")
	f.Add("/\n/a/\nGET /a/{x...}\n/a/b/{$}", "GET", "/a/b")
	f.Add("GET /{a}/{b}/c\nGET /{a}/b/c\nHEAD /x/b/c", "HEAD", "/x/b/c")
	f.Add("h.example/\n/b/{c}\nGET h.example/{c}", "GET", "/b")
	f.Add("/a/{$}\n/{x}", "PUT", "/a")
	f.Add("/a//b", "GET", "/a/../b")
	f.Add("/ab\n/abc/{d}\n/a{b}\n/ab/{c...}", "GET", "/abc/ü%20")
	f.Fuzz(func(t *testing.T, patterns, method, target string) {
		if !strings.HasPrefix(target, "/") || strings.Contains(target, "?") || method == "CONNECT" || method == "OPTIONS" || method == "" {
			return
		}
		if escapes := strings.ToUpper(target); strings.Contains(escapes, "%2F") || strings.Contains(escapes, "%2E") || strings.Contains(escapes, "%25") {
			return
		}
		u, err := url.ParseRequestURI("http://h.example" + target)
		if err != nil || u.EscapedPath() != target {
			return
		}
		mux, app := http.NewServeMux(), nano.New(nano.Config{})
		for i, p := range strings.SplitN(patterns, "\n", 12) {
			if strings.Contains(p, "%") || !muxTakes(mux, i, p) {
				continue
			}
			if !registers(t, app, p, respondWith(i)) {
				if strings.Count(p, "{") > 16 || strings.IndexFunc(p[:strings.IndexByte(p, '/')], notPlainHost) >= 0 || len(p) > 255 || uncleanPath(p) {
					return
				}
				t.Fatalf("ServeMux takes %q", p)
			}
		}
		compare(t, mux, app, method, u)
	})
}

// notPlainHost: nano checks the names of hosts.
func notPlainHost(c rune) bool {
	return c >= 0x7f || strings.ContainsRune(":{}.?#@<>\"^|`\\", c) || c < ' ' && c != '\t'
}

// uncleanPath: nano refuses what can only match CONNECT, and braces that close
// nothing.
func uncleanPath(pattern string) bool {
	p := pattern[strings.IndexByte(pattern, '/'):]
	if loneBrace.MatchString(p) || strings.ContainsAny(p, "*?#<") || strings.Contains(p, "/:") {
		return true
	}
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean != p
}

func muxTakes(mux *http.ServeMux, i int, pattern string) (ok bool) {
	defer func() { _ = recover() }()
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, i)
		for _, name := range names.FindAllStringSubmatch(pattern, -1) {
			fmt.Fprintf(w, " %s=%s", name[1], r.PathValue(name[1]))
		}
	})
	return true
}

var loneBrace = regexp.MustCompile(`/[^{/]*}`)

var names = regexp.MustCompile(`\{([^{}.$]+)(\.\.\.)?\}`)

func respondWith(i int) nano.Handler {
	return func(c nano.Ctx) error {
		s := strconv.Itoa(i)
		for _, name := range c.Route().Params() {
			s += " " + name + "=" + c.Param(name).String()
		}
		return c.Text(200, s)
	}
}

func compare(t *testing.T, mux *http.ServeMux, app *nano.App, method string, u *url.URL) {
	t.Helper()
	want, got := httptest.NewRecorder(), httptest.NewRecorder()
	r := &http.Request{Method: method, URL: u, Host: u.Host, Body: http.NoBody}
	mux.ServeHTTP(want, r.Clone(t.Context()))
	app.ServeHTTP(got, r)
	location, allow := got.Header().Get("Location"), got.Header().Get("Allow")
	same := got.Code == want.Code
	escaped := strings.Contains(u.EscapedPath(), "%") // ServeMux escapes it once more
	switch want.Code {
	case 200:
		same = same && (method == "HEAD" || got.Body.String() == want.Body.String())
	case 307:
		same = (got.Code == 301 || got.Code == 308) && (escaped || sameTarget(location, want.Header().Get("Location")))
	case 405:
		same = same && sameMethods(allow, want.Header().Get("Allow"))
	case 404:
		same = same || strings.HasSuffix(u.EscapedPath(), "/")
	}
	if !same {
		t.Fatalf("%s %s: %d %q %q%q, ServeMux %d %q %v", method, u, got.Code, got.Body, location, allow, want.Code, want.Body, want.Header())
	}
}

// sameTarget compares locations; ServeMux leaves some bytes as they are.
func sameTarget(a, b string) bool {
	x, err := url.Parse(a)
	if err != nil {
		return false
	}
	y, err := url.Parse(b)
	return err != nil || path.Clean(x.Path) == path.Clean(y.Path)
}

// sameMethods compares values of Allow: ours has OPTIONS too.
func sameMethods(ours, muxs string) bool {
	for m := range strings.SplitSeq(muxs, ", ") {
		if !strings.Contains(", "+ours+", ", ", "+m+", ") {
			return false
		}
	}
	return true
}

// TestMatchesAsServeMux compares on sets of patterns that are made to overlap.
func TestMatchesAsServeMux(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		pick := func(of ...string) string { return of[random.IntN(len(of))] }
		mux, app := http.NewServeMux(), nano.New(nano.Config{})
		for i := range 20 {
			p := pick("", "", "GET ", "POST ", "HEAD ") + pick("", "", "", "h.example", "other.example")
			for range random.IntN(4) {
				p += pick("/a", "/ab", "/abc", "/b", "/{x%d}")
				p = strings.Replace(p, "%d", strconv.Itoa(strings.Count(p, "/")), 1)
			}
			p += pick("/", "/{$}", "/{rest...}", "/c", "/a", "/{y}")
			if muxTakes(mux, i, p) && !registers(t, app, p, respondWith(i)) {
				t.Fatalf("seed %d: ServeMux takes %q", seed, p)
			}
		}
		for range 100 {
			target := pick("/a", "/ab", "/")
			for range random.IntN(5) {
				target += pick("/a", "/ab", "/abc", "/b", "/c", "/x", "/%41", "/")
			}
			target += pick("", "", "/", "/a")
			if u, err := url.ParseRequestURI("http://" + pick("h.example", "third.example") + target); err == nil {
				compare(t, mux, app, pick("GET", "GET", "POST", "HEAD", "PUT", "PURGE"), u)
			}
		}
	}
}
