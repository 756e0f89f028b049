package nano

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
)

// apiPatterns is a table of the size and shape of a large public API.
var apiPatterns = []string{
	"GET /", "GET /events", "GET /feeds", "GET /emojis", "GET /meta", "GET /rate", "GET /user", "PATCH /user", "GET /users",
	"GET /user/emails", "POST /user/emails", "DELETE /user/emails", "GET /user/followers", "GET /user/following",
	"GET /user/following/{user}", "PUT /user/following/{user}", "DELETE /user/following/{user}",
	"GET /user/keys", "POST /user/keys", "GET /user/keys/{id}", "DELETE /user/keys/{id}", "GET /user/orgs", "GET /user/repos", "POST /user/repos",
	"GET /user/starred", "GET /user/starred/{owner}/{repo}", "PUT /user/starred/{owner}/{repo}", "DELETE /user/starred/{owner}/{repo}",
	"GET /user/teams", "GET /user/issues", "GET /users/{user}", "GET /users/{user}/profile", "GET /users/{user}/events", "GET /users/{user}/events/orgs/{org}",
	"GET /users/{user}/followers", "GET /users/{user}/following", "GET /users/{user}/following/{target}", "GET /users/{user}/gists",
	"GET /users/{user}/keys", "GET /users/{user}/orgs", "GET /users/{user}/received", "GET /users/{user}/repos", "GET /users/{user}/starred",
	"GET /gists", "POST /gists", "GET /gists/public", "GET /gists/starred", "GET /gists/{id}", "PATCH /gists/{id}", "DELETE /gists/{id}",
	"POST /gists/{id}/forks", "PUT /gists/{id}/star", "GET /gists/{id}/star", "DELETE /gists/{id}/star",
	"GET /orgs/{org}", "PATCH /orgs/{org}", "GET /orgs/{org}/events", "GET /orgs/{org}/issues", "GET /orgs/{org}/members", "GET /orgs/{org}/members/{user}",
	"DELETE /orgs/{org}/members/{user}", "GET /orgs/{org}/repos", "POST /orgs/{org}/repos", "GET /orgs/{org}/teams", "POST /orgs/{org}/teams",
	"GET /repos/{owner}/{repo}", "PATCH /repos/{owner}/{repo}", "DELETE /repos/{owner}/{repo}",
	"GET /repos/{owner}/{repo}/branches", "GET /repos/{owner}/{repo}/branches/{branch}", "GET /repos/{owner}/{repo}/collaborators",
	"GET /repos/{owner}/{repo}/comments", "GET /repos/{owner}/{repo}/comments/{id}", "GET /repos/{owner}/{repo}/commits", "GET /repos/{owner}/{repo}/commits/{sha}",
	"GET /repos/{owner}/{repo}/commits/{sha}/comments", "POST /repos/{owner}/{repo}/commits/{sha}/comments", "GET /repos/{owner}/{repo}/contents/{path...}",
	"PUT /repos/{owner}/{repo}/contents/{path...}", "GET /repos/{owner}/{repo}/contributors", "GET /repos/{owner}/{repo}/downloads",
	"GET /repos/{owner}/{repo}/events", "GET /repos/{owner}/{repo}/forks", "POST /repos/{owner}/{repo}/forks", "GET /repos/{owner}/{repo}/git/blobs/{sha}",
	"POST /repos/{owner}/{repo}/git/blobs", "GET /repos/{owner}/{repo}/git/commits/{sha}", "GET /repos/{owner}/{repo}/git/refs/{ref...}",
	"GET /repos/{owner}/{repo}/git/tags/{sha}", "GET /repos/{owner}/{repo}/git/trees/{sha}", "GET /repos/{owner}/{repo}/hooks", "POST /repos/{owner}/{repo}/hooks",
	"GET /repos/{owner}/{repo}/hooks/{id}", "DELETE /repos/{owner}/{repo}/hooks/{id}", "POST /repos/{owner}/{repo}/hooks/{id}/tests",
	"GET /repos/{owner}/{repo}/issues", "POST /repos/{owner}/{repo}/issues", "GET /repos/{owner}/{repo}/issues/{number}", "PATCH /repos/{owner}/{repo}/issues/{number}",
	"GET /repos/{owner}/{repo}/issues/{number}/comments", "POST /repos/{owner}/{repo}/issues/{number}/comments", "GET /repos/{owner}/{repo}/issues/{number}/labels",
	"DELETE /repos/{owner}/{repo}/issues/{number}/labels/{name}", "GET /repos/{owner}/{repo}/keys", "GET /repos/{owner}/{repo}/labels", "GET /repos/{owner}/{repo}/labels/{name}",
	"GET /repos/{owner}/{repo}/languages", "GET /repos/{owner}/{repo}/milestones", "GET /repos/{owner}/{repo}/milestones/{number}", "GET /repos/{owner}/{repo}/pulls",
	"POST /repos/{owner}/{repo}/pulls", "GET /repos/{owner}/{repo}/pulls/{number}", "GET /repos/{owner}/{repo}/pulls/{number}/commits",
	"GET /repos/{owner}/{repo}/pulls/{number}/files", "PUT /repos/{owner}/{repo}/pulls/{number}/merge", "GET /repos/{owner}/{repo}/readme", "GET /repos/{owner}/{repo}/releases",
	"GET /repos/{owner}/{repo}/releases/{id}", "GET /repos/{owner}/{repo}/stargazers", "GET /repos/{owner}/{repo}/stats/activity", "GET /repos/{owner}/{repo}/tags",
	"GET /search/code", "GET /search/issues", "GET /search/repositories", "GET /search/users", "GET /teams/{id}", "PATCH /teams/{id}", "DELETE /teams/{id}",
	"GET /teams/{id}/members", "GET /teams/{id}/members/{user}", "PUT /teams/{id}/members/{user}", "GET /teams/{id}/repos", "GET /static/", "GET /health",
}

var benchPaths = []struct{ name, path string }{
	{"root", "/"}, {"static", "/search/repositories"}, {"profile", "/users/1234567/profile"}, {"two", "/repos/golang/go/stargazers"},
	{"four", "/repos/golang/go/issues/12345/comments"}, {"rest", "/repos/golang/go/contents/src/net/http/server.go"},
	{"escaped", "/users/caf%C3%A9/profile"},
}

func apiApp() *App {
	app := New(Config{})
	for _, p := range apiPatterns {
		app.Handle(p, func(Ctx) error { return nil })
	}
	return app
}

// requestFor lays a request out as a connection does.
func requestFor(app *App, method, host, path string) *liveRequest {
	x := &liveRequest{app: app}
	put := func(s string) http1.Span {
		from := uint32(len(x.Buf))
		x.Buf = append(x.Buf, s...)
		return http1.Span{Start: from, End: uint32(len(x.Buf))}
	}
	x.Req.Method, x.Req.Path, x.Req.Host = put(method), put(path), put(host)
	return x
}

func TestFindDoesNotAllocate(t *testing.T) {
	app := apiApp()
	app.Host("api.example.com").Get("/users/{user}", func(Ctx) error { return nil })
	app.Host("{tenant}.example.com").Get("/users/{user}", func(Ctx) error { return nil })
	for _, path := range benchPaths {
		for _, host := range []string{"", "API.example.com:8080", "acme.example.com"} {
			x := requestFor(app, "GET", host, path.path)
			app.find(x) // the scratch space is kept
			if n := testing.AllocsPerRun(100, func() { app.find(x) }); n != 0 || x.route == nil {
				t.Errorf("%s on %q: %v allocations, route %v", path.path, host, n, x.route)
			}
		}
	}
	x := requestFor(app, "GET", "", "/users/caf%2F%C3%A9/profile")
	app.find(x)
	x.param("user")
	if n := testing.AllocsPerRun(100, func() { x.match.Reset(); app.find(x); x.param("user") }); n != 0 {
		t.Errorf("reading an escaped parameter: %v allocations", n)
	}
}

func BenchmarkFind(b *testing.B) {
	app := apiApp()
	for _, p := range benchPaths {
		x := requestFor(app, "GET", "example.com", p.path)
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				app.find(x)
			}
		})
	}
}

func BenchmarkServeMux(b *testing.B) {
	mux := http.NewServeMux()
	for _, p := range apiPatterns {
		mux.Handle(p, http.NotFoundHandler())
	}
	for _, p := range benchPaths {
		r := httptest.NewRequest("GET", p.path, nil)
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, pattern := mux.Handler(r); strings.TrimSpace(pattern) == "" {
					b.Fatal("no match")
				}
			}
		})
	}
}
