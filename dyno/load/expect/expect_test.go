package expect

import (
	"strings"
	"testing"
)

const (
	head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nX-Many: a\r\nX-Many: b\r\nX-Empty:\r\nSet-Cookie: id=s3cr3t\r\n\r\n"
	body = `{"ok": true, "n": 1.50, "big": 9007199254740993, "null": null, "name": "Ann é", "items": [{"id": 7}, {"id": 8}], "tags": ["x", "y"], "odd.name": {"a": []}}`
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		line string
		got  string // what was there instead; empty if the expectation holds
	}{
		{"status 200", ""},
		{"status 2xx", ""},
		{"status 201-299 404", "status 201-299 404: got 200"},
		{"status 5XX", "status 500-599: got 200"},
		{"header content-type", ""},
		{"header X-EMPTY exists", ""},
		{"header x-none", "none"},
		{"header x-none absent", ""},
		{"header x-many absent", "one"},
		{"header x-many == b", ""},
		{"header x-many == c", `"b"`},
		{`header x-empty == ""`, ""},
		{"header x-none == a", "no such header"},
		{"header content-type contains JSON", `"application/json; charset=utf-8"`},
		{"header content-type contains json", ""},
		{"header content-type matches ^application/(json|cbor)\\b", ""},
		{"header set-cookie == id=1", "another value"},
		{"body contains Ann", ""},
		{"body contains Bo", "{"},
		{`body matches .ok.: (true|false)`, ""},
		{`body matches (?s)^\{.*\}$`, ""},
		{"body != x", ""},
		{"body == x", "{"},
		{"body size < 1000", ""},
		{"body size == 3", "156 bytes"},
		{"json $", ""},
		{"json $.ok", ""},
		{"json $.ok == true", ""},
		{"json $.ok == false", "true"},
		{"json $.ok != false", ""},
		{`json $.ok == "true"`, "true"},
		{"json $.n == 1.5", ""},
		{"json $.n >= 1.5", ""},
		{"json $.n < 1.5", "1.50"},
		{"json $.n < 1e3", ""},
		{"json $.big == 9007199254740993", ""},
		{"json $.big == 9007199254740992", "9007199254740993"},
		{"json $.null == null", ""},
		{"json $.null exists", ""},
		{"json $.none == null", "nothing there"},
		{"json $.none != 1", "nothing there"},
		{"json $.none absent", ""},
		{"json $.ok absent", "true"},
		{`json $.name == "Ann é"`, ""},
		{"json $.name.length() == 5", ""},
		{"json $.name contains Ann", ""},
		{`json $.name matches "^A"`, ""},
		{`json $.name > "Ann"`, ""},
		{"json $.name > 1", `"Ann é"`},
		{"json $.items.length() == 2", ""},
		{"json $.items.length() > 2", "2"},
		{"json $.items[1].id == 8", ""},
		{"json $.items[2].id exists", "nothing there"},
		{`json $.items[0] == {"id": 7}`, ""},
		{"json $.tags contains y", ""},
		{"json $.tags contains z", `["x","y"]`},
		{`json $["odd.name"].a.length() == 0`, ""},
		{"json $['odd.name']['a'] == []", ""},
		{"json $.ok.length()", "nothing there"},
		{"json $.items.id", "nothing there"},
		{"json $.ok[0]", "nothing there"},
	} {
		e, err := Parse([]string{c.line})
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		failed := e.Judge(200, []byte(head), []byte(body))
		want := c.line + ": got " + c.got
		if strings.HasPrefix(c.got, "status") {
			want = c.got
		}
		if c.got == "" && failed != "" || c.got != "" && !strings.HasPrefix(failed, strings.TrimSuffix(want, "{")) {
			t.Errorf("%s: failed with %q, want %q", c.line, failed, c.got)
		}
		if strings.Contains(failed, "s3cr3t") {
			t.Errorf("a secret is shown: %s", failed)
		}
	}
}

func TestJudgeSum(t *testing.T) {
	e, err := Parse([]string{"body sha256 BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"})
	if err != nil {
		t.Fatal(err)
	}
	if failed := e.Judge(200, nil, []byte("abc")); failed != "" {
		t.Error(failed)
	}
	if failed := e.Judge(200, nil, []byte("abd")); !strings.Contains(failed, ": got a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9") {
		t.Error(failed)
	}
}

func TestJudgeWhatIsNotJSON(t *testing.T) {
	e, err := Parse([]string{"json $.a absent"})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		"":      "json $.a absent: got a body that is not JSON: EOF",
		"<p>":   "json $.a absent: got a body that is not JSON: invalid character '<' looking for beginning of value",
		"{} {}": "json $.a absent: got a body that is not JSON: more than one JSON value",
	} {
		if got := e.Judge(200, nil, []byte(body)); got != want {
			t.Errorf("%q: %s", body, got)
		}
	}
}

func TestSeveralLines(t *testing.T) {
	e, err := Parse([]string{"status 200", "header a", "status 404", "body == x"})
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Statuses(); !s.Has(200) || !s.Has(404) || s.Has(201) || s.Has(-1) || s.Has(1<<20) || s.String() != "200 404" {
		t.Errorf("statuses %s", s)
	}
	if e.Needs() != Body {
		t.Errorf("needs %d", e.Needs())
	}
	if got := e.Judge(404, []byte("HTTP/1.1 404 Not Found\r\na: b\r\n\r\n"), []byte("y")); got != `body == x: got "y"` {
		t.Error(got)
	}
	none, err := Parse(nil)
	if s := none.Statuses(); err != nil || none.Needs() != Status || s != Successful() || s.String() != "200-399" {
		t.Errorf("nothing expected: %v %s", err, s)
	}
}

func TestParseRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  `expectation "": is empty`,
		"stauts 200":                        `starts with "stauts"; expected one of status, grpc, header, body, json`,
		"status":                            "names no status",
		"status 199":                        `"199" is no status from 200 to 599`,
		"status 204-200":                    `"204-200" is no status`,
		"status 6xx":                        `"6xx" is no status`,
		"header":                            "names no header",
		"header a: b":                       `"a:" is no header name`,
		"header a is b":                     `"is" is no comparison of texts; expected ==, !=, contains or matches`,
		"header a matches (":                "missing closing )",
		"body":                              "says nothing of the body",
		"body contains":                     "contains needs a text",
		`body contains "a`:                  `"a is not a text in quotes`,
		"body size 3":                       `"3" compares no size; write it as body size < 1000`,
		"body size < -1":                    "compares no size",
		"body sha256 abc":                   `"abc" is no SHA-256 of 64 hexadecimal digits`,
		"json items":                        `a JSON path starts with "$", such as $.items[0].name`,
		"json $items":                       "is no step of a JSON path",
		"json $.a..b":                       "is no step of a JSON path",
		"json $.*":                          "is no step of a JSON path",
		"json $[-1]":                        "is no index such as [0]",
		"json $[1":                          "is no index such as [0]",
		"json $['a":                         "lacks its closing ']",
		"json $.length().a":                 ".length() must end a JSON path",
		"json $.a == ok":                    `"ok" is not a JSON value; texts need quotes, as in == "ok"`,
		"json $.a = 1":                      `"=" is no comparison; expected ==, !=, <`,
		"json $.a < true":                   "true has no order: < compares numbers and texts",
		"json $" + strings.Repeat(".a", 65): "a JSON path has at most 64 steps",
		"body matches " + strings.Repeat("a", 5000): "is longer than the 4096 that are allowed",
	} {
		_, err := Parse([]string{line})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %s", line, err, want)
		}
	}
}

func TestJudgeDoesNotAllocate(t *testing.T) {
	e, err := Parse([]string{"status 2xx", "header content-type contains json", "body contains Ann", "body size < 1000", "body matches ok"})
	if err != nil {
		t.Fatal(err)
	}
	h, b := []byte(head), []byte(body)
	if n := testing.AllocsPerRun(100, func() {
		if failed := e.Judge(200, h, b); failed != "" {
			t.Fatal(failed)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	for name, line := range map[string]string{"header": "header content-type contains json", "body": "body contains Ann", "json": "json $.items[1].id == 8"} {
		b.Run(name, func(b *testing.B) {
			e, err := Parse([]string{line})
			if err != nil {
				b.Fatal(err)
			}
			h, text := []byte(head), []byte(body)
			for b.Loop() {
				if failed := e.Judge(200, h, text); failed != "" {
					b.Fatal(failed)
				}
			}
		})
	}
}

// FuzzParse looks for lines and responses that panic.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"status 2xx 404", "header a matches ^b$", `body == "a"`, "body size >= 3", "json $.a[0]['b'].length() == 1e999", "json $.n < 1e-400"} {
		f.Add(line, head, body)
	}
	f.Fuzz(func(t *testing.T, line, head, body string) {
		e, err := Parse([]string{line})
		if err != nil {
			return
		}
		failed := e.Judge(200, []byte(head), []byte(body))
		if failed != "" && !strings.Contains(failed, ": got ") {
			t.Errorf("%q failed without saying with what: %q", line, failed)
		}
	})
}

// FuzzPath looks for paths that panic, or that lead where they should not.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"$", "$.a.b", "$[0]", "$['a']", `$["a"].length()`, "$.a[1].b == 1"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, rest, err := parsePath(text)
		if err != nil {
			return
		}
		if !strings.HasPrefix(text, "$") || len(p.steps) > maxSteps || len(rest) >= len(text) {
			t.Errorf("%q gives %+v and %q", text, p, rest)
		}
		for _, doc := range []string{body, "[[0]]", "1", `{"": {"": 2}}`} {
			p.find(readDocument([]byte(doc)).root)
		}
	})
}
