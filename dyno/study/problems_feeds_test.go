package study

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dyno.example/dyno/load/request"
)

func TestTemplateAndIdentityProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"unknown placeholder", minimal + "requests: [{get: \"/{{nope}}\"}]\n",
			`s.yaml:3:18: requests[0].get: path: {{nope}}: there is no placeholder "nope"; expected int, string, hex, uuid, choice, seq, timestamp, env, json, url, feed.NAME.COLUMN or a text in quotes`},
		{"unknown feed", minimal + "requests: [{post: /, body: \"{{feed.users.id}}\"}]\n",
			`s.yaml:3:28: requests[0].body: body: {{feed.users.id}}: there is no feed "users"; none are given`},
		{"variable that is not set", minimal + "requests: [{get: /, headers: {A: \"{{env DYNO_TEST_NOT_SET}}\"}}]\n",
			"s.yaml:3:31: requests[0].headers.A: header A: {{env DYNO_TEST_NOT_SET}}: environment variable DYNO_TEST_NOT_SET is not set"},
		{"braces that stay open", minimal + "requests: [{post: /, body: \"a{{b\"}]\n",
			`s.yaml:3:28: requests[0].body: body: "{{b" lacks its closing }}; write {{"{{"}} for two braces that are meant as such`},
		{"auth", minimal + "requests: [{get: /, auth: secret}]\n",
			"s.yaml:3:27: requests[0].auth: auth must be basic USER:PASSWORD or bearer TOKEN"},
		{"auth twice", minimal + "requests: [{get: /, auth: bearer a, headers: {Authorization: b}}]\n",
			"s.yaml:3:27: requests[0].auth: both auth and a header Authorization are given; remove one of them"},
		{"cookie value", minimal + "requests: [{get: /, cookies: {a: b;c}}]\n",
			`s.yaml:3:31: requests[0].cookies.a: value of cookie a holds ';'`},
		{"jar", minimal + "requests: [{get: /, cookie_jar: yes please}]\n",
			`s.yaml:3:33: requests[0].cookie_jar: expected true or false, got "yes please"`},
	})
}

func TestExpectationProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"unknown word", minimal + "requests: [{get: /, expect: [stauts 200]}]\n",
			`s.yaml:3:30: requests[0].expect[0]: expectation "stauts 200": starts with "stauts"; expected one of status, grpc, header, body, json`},
		{"class", minimal + "requests: [{get: /, expect: {status: 9xx}}]\n",
			`s.yaml:3:38: requests[0].expect.status: expectation "status 9xx": "9xx" is no status from 200 to 599, class such as 2xx, or range such as 200-204`},
		{"JSON path", minimal + "requests: [{get: /, expect: {json: items == 1}}]\n",
			`s.yaml:3:36: requests[0].expect.json: expectation "json items == 1": a JSON path starts with "$", such as $.items[0].name`},
		{"one of a list", minimal + "requests: [{get: /, expect: {body: [contains a, is b]}}]\n",
			`s.yaml:3:49: requests[0].expect.body[1]: expectation "body is b": "is" is no comparison of texts; expected ==, !=, contains or matches`},
	})
}

func TestFeedProblems(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("a,b\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	checkProblems(t, []problemCase{
		{"malformed", minimal + "feeds: {u: " + bad + "}\nrequests: [{get: \"/{{feed.u.a}}\"}]\n",
			"s.yaml:3:12: feeds.u: feed u: " + bad + ":2: wrong number of fields"},
		{"no file", minimal + "feeds: {u: {order: random}}\n",
			"s.yaml:3:12: feeds.u: the feed has no file (add: file: u.csv)"},
		{"order", minimal + "feeds: {u: {file: a.csv, order: randon}}\n",
			`s.yaml:3:12: feeds.u: feed u: open a.csv: no such file or directory
s.yaml:3:33: feeds.u.order: "randon" is not one of the choices (did you mean "random"?)`},
	})
}

func TestRequestsOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "users.csv"), []byte("id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	requests := `
  - get: /{{feed.users.id}}
    auth: basic u:{{feed.users.id}}
    cookies: {a: "{{uuid}}"}
    cookie_jar: true
    expect: {status: [200, 3xx], header: x-a == b, json: [$.a exists, '$.b == "c"']}
  - {post: /b, body: '{{"{{"}}', expect: [status 201, body contains a]}
`
	want := []request.Request{
		{Name: "get /{{feed.users.id}}", Method: "GET", Path: "/{{feed.users.id}}", Weight: 1, Auth: "basic u:{{feed.users.id}}",
			Cookies: []request.Header{{Name: "a", Value: "{{uuid}}"}}, Jar: true,
			Expect: []string{"status 200", "status 3xx", "header x-a == b", "json $.a exists", `json $.b == "c"`}},
		{Name: "post /b", Method: "POST", Path: "/b", Weight: 1, Body: `{{"{{"}}`, Expect: []string{"status 201", "body contains a"}},
	}
	feeds := "feeds: {users: {file: users.csv, order: in-order, end: stop}}\n"
	path := filepath.Join(dir, "s.yaml")
	s, err := Parse(path, []byte(minimal+feeds+"requests:"+requests), shipped)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Requests, want) {
		t.Errorf("got\n%+v\nwant\n%+v", s.Requests, want)
	}
	if f := s.Feeds[0]; f.Name != "users" || f.File != filepath.Join(dir, "users.csv") || f.Order != request.InOrder || f.End != request.Stop {
		t.Errorf("got %+v", f)
	}
	if p, err := Expand(s, 1); err != nil || len(p.Cells[0].Feeds) != 1 {
		t.Errorf("%v: %+v", err, p.Cells[0])
	}
	for _, src := range []string{feeds + "requests:" + requests, requests} {
		given := s.Feeds
		if strings.HasPrefix(src, "feeds") {
			given = nil
		}
		got, all, err := ParseRequests(path, []byte(src), given)
		if err != nil || !reflect.DeepEqual(got, want) || len(all) != 1 {
			t.Errorf("%v, feeds %+v\n%+v", err, all, got)
		}
	}
	if _, _, err := ParseRequests("r.yaml", []byte("feeds: {}\n"), nil); err == nil || err.Error() != "r.yaml:1:1: the file has no requests (add: requests: [{get: /}])" {
		t.Errorf("got %v", err)
	}
}
