package httprule

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/", ""}, {"/v1/shelves", ""}, {"/v1/{name=shelves/*}", ""}, {"/v1/{a.b_c}/{d=**}:verb", ""}, {"/**", ""}, {"/a/*/b:c.d", ""}, {"/caf%C3%A9/café", ""},
		{"", `path template "": it has to begin with a slash`},
		{"v1", `path template "v1": it has to begin with a slash`},
		{"/v1/", `path template "/v1/": expected a segment at its end`},
		{"//", `path template "//": expected a segment before "/"`},
		{"/v1/{", `path template "/v1/{": expected the name of a field at its end`},
		{"/v1/{1a}", `path template "/v1/{1a}": expected the name of a field before "1a}"`},
		{"/v1/{a", `path template "/v1/{a": expected "}" at its end`},
		{"/v1/{a=}", `path template "/v1/{a=}": expected a segment before "}"`},
		{"/v1/{a={b}}", `path template "/v1/{a={b}}": a variable can't hold another one`},
		{"/v1/{a}/{a=*}", `path template "/v1/{a}/{a=*}": the field a is bound twice`},
		{"/v1/**/x", `path template "/v1/**/x": "**" has to be the last segment, and another one follows before "x"`},
		{"/v1/{a=**}/x", `path template "/v1/{a=**}/x": "**" has to be the last segment, and another one follows before "x"`},
		{"/v1/a*", `path template "/v1/a*": expected a slash, or a verb behind a colon, before "*"`},
		{"/v1/{a}b", `path template "/v1/{a}b": expected a slash, or a verb behind a colon, before "b"`},
		{"/v1:a/b", `path template "/v1:a/b": expected a slash, or a verb behind a colon, before "/b"`},
		{"/v1:", `path template "/v1:": expected a segment at its end`},
		{"/a/../b", `path template "/a/../b": ".." is no segment: paths are resolved before they are matched`},
		{"/a%2", `path template "/a%2": a percent sign needs two digits behind it, before "a%2"`},
		{"/a?b", `path template "/a?b": expected a slash, or a verb behind a colon, before "?b"`},
		{"/" + strings.Repeat("a/", 32) + "a", `it has more than 32 segments`},
	} {
		tp, err := Parse(c.text)
		if got := ""; err != nil {
			if got = err.Error(); c.want == "" || !strings.HasSuffix(got, c.want) {
				t.Errorf("%s: %s, want %s", c.text, got, c.want)
			}
		} else if c.want != "" || tp.Text != c.text {
			t.Errorf("%s was taken, want %s", c.text, c.want)
		}
	}
}

// What each path matches, and what its variables take.
func TestFind(t *testing.T) {
	var table Table[string]
	for _, text := range []string{
		"GET /", "GET /v1/messages/{message_id}", "GET /v1/users/{user_id}/messages/{message_id}", "GET /v1/{name=messages/*/parts/*}",
		"GET /v1/users/me/messages/{m}", "POST /v1/messages:clear", "POST /v1/messages/{id}:cancel", "DELETE /v1/messages/{id}",
		"GET /v2/{path=**}", "GET /v2/{path=files/**}:raw", "GET /v2/exact", "* /any", "GET /any", "GET /a%20b/{x}", "HEAD /head", "GET /head", "POST /a/*/c", "GET /a/b/{y}",
	} {
		method, path, _ := strings.Cut(text, " ")
		tp, err := Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := table.Add(method, tp, text); !ok {
			t.Fatalf("%s is like %s", text, other)
		}
	}
	for _, c := range []struct{ request, want, captured string }{
		{"GET /", "GET /", ""},
		{"GET /v1/messages/123456", "GET /v1/messages/{message_id}", "message_id=123456"},
		{"HEAD /v1/messages/1", "GET /v1/messages/{message_id}", "message_id=1"},
		{"GET /v1/messages/a%2Fb%20c", "GET /v1/messages/{message_id}", "message_id=a/b c"},
		{"GET /v1/messages/", "", ""}, {"GET /v1/messages", "", ""}, {"GET /v1/messages/1/2", "", ""},
		{"PUT /v1/messages/1", "405 DELETE,GET", ""},
		{"DELETE /v1/messages/1", "DELETE /v1/messages/{id}", "id=1"},
		{"GET /v1/users/7/messages/8", "GET /v1/users/{user_id}/messages/{message_id}", "user_id=7 message_id=8"},
		{"GET /v1/users/me/messages/8", "GET /v1/users/me/messages/{m}", "m=8"},
		{"GET /v1/messages/1/parts/2", "GET /v1/{name=messages/*/parts/*}", "name=messages/1/parts/2"},
		{"GET /v1/messages/a%2Fb/parts/c%20d", "GET /v1/{name=messages/*/parts/*}", "name=messages/a%2Fb/parts/c d"},
		{"POST /v1/messages:clear", "POST /v1/messages:clear", ""},
		{"POST /v1/messages/7:cancel", "POST /v1/messages/{id}:cancel", "id=7"},
		{"POST /v1/messages/a:b:cancel", "POST /v1/messages/{id}:cancel", "id=a:b"},
		{"GET /v1/messages/7:cancel", "GET /v1/messages/{message_id}", "message_id=7:cancel"},
		{"GET /v1/messages/7:other", "GET /v1/messages/{message_id}", "message_id=7:other"},
		{"GET /v2", "GET /v2/{path=**}", "path="},
		{"GET /v2/", "GET /v2/{path=**}", "path="},
		{"GET /v2/a/b%2fc", "GET /v2/{path=**}", "path=a/b%2fc"},
		{"GET /v2/exact", "GET /v2/exact", ""},
		{"GET /v2/files/a/b:raw", "GET /v2/{path=files/**}:raw", "path=files/a/b"},
		{"GET /v2/files:raw", "GET /v2/{path=files/**}:raw", "path=files"},
		{"GET /v2/" + strings.Repeat("x/", 40) + "y", "GET /v2/{path=**}", "path=" + strings.Repeat("x/", 40) + "y"},
		{"PATCH /any", "* /any", ""}, {"GET /any", "GET /any", ""},
		{"GET /a%20b/c", "GET /a%20b/{x}", "x=c"}, {"GET /%61%20b/c", "GET /a%20b/{x}", "x=c"},
		{"HEAD /head", "HEAD /head", ""},
		{"POST /a/b/c", "POST /a/*/c", ""}, {"GET /a/b/c", "GET /a/b/{y}", "y=c"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		var m Match
		got, ok := table.Find(method, []byte(path), &m)
		if m.WrongMethod {
			got = "405 " + strings.Join(m.Allowed(), ",")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.request, got, c.want)
		}
		if !ok {
			continue
		}
		var captured []string
		for i := range m.Template.Variables {
			v := &m.Template.Variables[i]
			captured = append(captured, v.Name()+"="+string(m.Append(nil, v)))
		}
		if got := strings.Join(captured, " "); got != c.captured {
			t.Errorf("%s: %s, want %s", c.request, got, c.captured)
		}
	}
}

// Two templates that the same paths match can't both be in a table.
func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		one, two string
		ok       bool
	}{
		{"/v1/{a}", "/v1/{b=*}", false}, {"/v1/*", "/v1/{a}", false}, {"/v1/{a=x/*}", "/v1/x/{b}", false}, {"/v1/**", "/v1/{a=**}", false}, {"/%61", "/a", false},
		{"/v1/{a}", "/v1/{a}:b", true}, {"/v1/{a}", "/v1/a", true}, {"/v1/*", "/v1/**", true}, {"/a:b", "/a:c", true},
	} {
		var table Table[int]
		for i, text := range []string{c.one, c.two} {
			tp, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := table.Add("GET", tp, i); ok != (c.ok || i == 0) || !ok && other != 0 {
				t.Errorf("%s and %s: %v", c.one, c.two, ok)
			}
			if _, ok := table.Add("PUT", tp, i); ok != (c.ok || i == 0) {
				t.Errorf("%s and %s with another method: %v", c.one, c.two, ok)
			}
		}
	}
}

// What is taken for a template is matched by the path that it stands for itself, and its
// variables take their own parts of it.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"/", "/v1/{name=shelves/*/books/**}:verb", "/a%2Fb/{x.y}/*", "/{a=b}:c", "/**", "/a:b%3Ac"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tp, err := Parse(text)
		if err != nil {
			return
		}
		var path strings.Builder
		for _, s := range tp.Segments {
			path.WriteByte('/')
			switch s.Kind {
			case Star:
				path.WriteString("x")
			case DoubleStar:
				path.WriteString("x/y%2Fz")
			default:
				path.WriteString(escape(s.Text))
			}
		}
		if tp.Verb != "" {
			path.WriteString(":" + escape(tp.Verb))
		}
		if path.Len() == 0 {
			path.WriteByte('/')
		}
		var table Table[int]
		table.Add("GET", tp, 1)
		var m Match
		if _, ok := table.Find("GET", []byte(path.String()), &m); !ok {
			t.Fatalf("%q doesn't match %q", path.String(), text)
		}
		for i := range tp.Variables {
			v := &tp.Variables[i]
			got := m.Append(nil, v)
			if len(got) == 0 || got[0] == '/' && !strings.Contains(strings.ToLower(text), "%2f") {
				t.Fatalf("%s of %q is %q in %q", v.Name(), text, got, path.String())
			}
		}
	})
}

// escape escapes all bytes of a segment's text.
func escape(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

// Any path is looked up without a fault.
func FuzzFind(f *testing.F) {
	var table Table[int]
	for i, text := range []string{"/", "/a/{b}", "/a/{b=c/**}:d", "/{e=**}", "/a/*/{f}:g"} {
		tp, err := Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		table.Add("GET", tp, i)
	}
	f.Add("/a/b:d")
	f.Add("/a/c/%2f/:d")
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || path[0] != '/' {
			return
		}
		var m Match
		if _, ok := table.Find("GET", []byte(path), &m); !ok {
			return
		}
		for i := range m.Template.Variables {
			if got := m.Append(nil, &m.Template.Variables[i]); len(got) > len(path) {
				t.Fatalf("%q of %q", got, path)
			}
		}
	})
}

func TestAllocs(t *testing.T) {
	var table Table[int]
	tp, _ := Parse("/v1/users/{id}/messages/{m}")
	table.Add("GET", tp, 1)
	var m Match
	path, buf := []byte("/v1/users/17/messages/4711"), make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := table.Find("GET", path, &m); !ok {
			t.Fatal("not found")
		}
		for i := range m.Template.Variables {
			buf = m.Append(buf[:0], &m.Template.Variables[i])
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
