package request

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"dyno.example/dyno/load/template"
)

func noFile(string) (string, error) { return "", errors.New("no such file") }

func TestReadTargets(t *testing.T) {
	const text = `# all there is

GET http://h:80/a?b=c
Accept: text/plain
X-Empty:

POST http://h:80
Content-Type: application/json
@body.json
DELETE /d/{{int 1 9}}
GET http://h:80?q
`
	at, got, err := ReadTargets("t.txt", strings.NewReader(text), "http://h:80/", func(path string) (string, error) { return "from " + path, nil })
	want := []Request{
		{Name: "get /a?b=c", Method: "GET", Path: "/a?b=c", Headers: []Header{{"Accept", "text/plain"}, {"X-Empty", ""}}},
		{Name: "post /", Method: "POST", Path: "/", Headers: []Header{{"Content-Type", "application/json"}}, Body: "from body.json"},
		{Name: "delete /d/{{int 1 9}}", Method: "DELETE", Path: "/d/{{int 1 9}}"},
		{Name: "get /?q", Method: "GET", Path: "/?q"},
	}
	if err != nil || at != "http://h:80" || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

// Without an origin the first target says where all go; lists of URLs and
// vegeta's json are read too.
func TestReadTargetsThatSayWhere(t *testing.T) {
	for text, want := range map[string][]Request{
		"http://h:80/a\n\nhttp://h:80/b?c={{int 1 9}}\n/d\n": {
			{Name: "get /a", Method: "GET", Path: "/a"}, {Name: "get /b?c={{int 1 9}}", Method: "GET", Path: "/b?c={{int 1 9}}"}, {Name: "get /d", Method: "GET", Path: "/d"},
		},
		"http://h:80\nX-Key: a\n@f\n": {{Name: "get /", Method: "GET", Path: "/", Headers: []Header{{"X-Key", "a"}}, Body: "from f"}},
		`{"method":"PUT","url":"http://h:80/a","body":"eyJhIjoxfQ==","header":{"X-B":["2"],"Accept":["*/*","text/plain"]}}` + "\n" + `{"url": "http://h:80/b"}` + "\n": {
			{Name: "put /a", Method: "PUT", Path: "/a", Headers: []Header{{"Accept", "*/*"}, {"Accept", "text/plain"}, {"X-B", "2"}}, Body: `{"a":1}`},
			{Name: "get /b", Method: "GET", Path: "/b"},
		},
	} {
		at, got, err := ReadTargets("t.txt", strings.NewReader(text), "", func(path string) (string, error) { return "from " + path, nil })
		if err != nil || at != "http://h:80" || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v\ngot  %+v\nwant %+v", text, at, err, got, want)
		}
	}
	for text, want := range map[string]string{
		"/a\n":                                 `t.txt:1: "/a" says no host; write the target as GET http://host:port/path`,
		"http://user:s3cr3t@h/\n":              "t.txt:1: the URL has credentials before its host",
		"http://h/\nhttps://h/\n":              `t.txt:2: "https://h/" is not at http://h, where this load goes: a load has one target`,
		"{\"method\": 1}\n":                    "t.txt:1: expected an object with method, url",
		"{}\n":                                 "t.txt:1: the object has no url",
		"{\"url\": \"http://h/\"}\nX: y\n":     "t.txt:2: expected a method and a URL",
		"{\"url\":\"http://h/\",\"body\":7}\n": "t.txt:1: expected an object",
		"":                                     "t.txt: has no targets; write them as GET http://host:port/path",
	} {
		if _, _, err := ReadTargets("t.txt", strings.NewReader(text), "", noFile); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestReadTargetsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "t.txt: has no targets; write them as GET http://h/path",
		"# only\n":                         "t.txt: has no targets",
		"GET http://other/\n":              `t.txt:1: "http://other/" is not at http://h, where this load goes`,
		"GET http://host/\n":               `t.txt:1: "http://host/" is not at http://h`,
		"GET a\n":                          `t.txt:1: "a" is not at http://h`,
		"Accept: a\n":                      `t.txt:1: expected a method and a URL, such as GET http://h/path, got "Accept: a"`,
		"GET /\n\nAccept: a\n":             `t.txt:3: expected a method and a URL`,
		"GET /\nnonsense\n":                `t.txt:2: expected a header, a body as @FILE or an empty line, got "nonsense"`,
		"GET /\n@a\n":                      "t.txt:2: reading the body: no such file",
		"GET /" + strings.Repeat("x", 1e5): "t.txt:1: the line has more than 65536 bytes",
	} {
		if _, _, err := ReadTargets("t.txt", strings.NewReader(text), "http://h", noFile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzReadTargets looks for files that panic, or that become requests which
// can't be sent in a way that Check doesn't notice.
func FuzzReadTargets(f *testing.F) {
	for _, text := range []string{"", "GET http://h/a\nA: b\n@body\n\nPOST /\n", "GET /a b\n", "GET {{\n", "# a\nPUT /\n:\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, requests, err := ReadTargets("t", strings.NewReader(text), "http://h", func(path string) (string, error) { return path, nil })
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t:") {
				t.Errorf("error without the file: %v", err)
			}
			return
		}
		env := &template.Env{Getenv: os.LookupEnv}
		for i := range requests {
			if requests[i].Check(env) != nil {
				continue
			}
			w, err := Compile(&requests[i], "h", "HTTP/1.1", env)
			if err != nil {
				t.Fatal(err)
			}
			s := env.NewState(1, 0, 1)
			wire, _ := w.Append(nil, nil, s, nil)
			if head, _, ok := strings.Cut(string(wire), "\r\n\r\n"); !ok || strings.Count(head, "\r\n") != 1+len(requests[i].Headers)+extra(w, &requests[i]) {
				t.Errorf("%+v is sent as %q", requests[i], wire)
			}
		}
	})
}

// extra is how many fields are added to those given, beyond Host.
func extra(w *Compiled, r *Request) int {
	n := 0
	if w.sized {
		n++
	}
	if r.has("Host") {
		n--
	}
	return n
}
