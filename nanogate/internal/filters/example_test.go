package filters

import (
	"os"
	"strings"
	"testing"

	"dyno.example/internal/yamlfile"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// What follows, up to the line of dashes, is the example of nanogate/docs/design/filters.md.

// markBeta has the upstream know which requests are of beta testers.
var markBeta = Kind{
	Name:  "mark-beta",
	Phase: filter.Access,
	Doc:   "`{cookie: beta, header: x-beta}`: requests with that cookie get the field, `1`; others don't, whatever they send",
	Read:  readMarkBeta,
}

func readMarkBeta(p yamlfile.Place) Maker {
	var f betaMark
	for _, e := range p.Entries() {
		switch e.Key {
		case "cookie":
			f.cookie, _ = e.Value.Scalar()
		case "header":
			f.header, _ = e.Value.Scalar()
		default:
			e.Unknown([]string{"cookie", "header"})
		}
	}
	if !http1.ValidToken(f.cookie) || !http1.ValidToken(f.header) || request.Reserved(f.header) {
		p.Problem("such as {cookie: beta, header: x-beta}", "mark-beta needs the name of a cookie and that of a field")
	}
	f.header = strings.ToLower(f.header)
	return func() (filter.Filter, error) { return f, nil }
}

// betaMark is the filter.
type betaMark struct{ cookie, header string }

// Check marks a request or takes the mark away. It lets all of them pass.
func (f betaMark) Check(r *request.Request) *request.Reply {
	if _, ok := r.Cookie(f.cookie); ok {
		r.ForwardText(f.header, "1")
	} else {
		r.Drop(f.header)
	}
	return nil
}

// ----

func TestExample(t *testing.T) {
	f := made(t, markBeta, "{cookie: beta, header: X-Beta}")
	for fields, want := range map[string]string{
		"Cookie: beta=yes; a=b\r\nX-Beta: 7\r\n": "x-beta: 1\r\n",
		"X-Beta: 1\r\n":                          "",
	} {
		r := asked(t, fields)
		if reply := f.Check(r); reply != nil || string(r.Forwards()) != want || len(r.Drops()) == 0 {
			t.Errorf("%q: %v, forwards %q, drops %q", fields, reply, r.Forwards(), r.Drops())
		}
	}
	if problems := wrong(markBeta, "{cookie: beta, heder: x}"); len(problems) != 2 || !strings.Contains(problems[0].String(), "heder") {
		t.Errorf("problems: %v", problems)
	}
}

// The page shows the example as it is here.
func TestExampleIsInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(own), "nanogate/docs/design/filters.md.\n\n")
	code, _, ok := strings.Cut(code, "// ----\n")
	if !ok || !strings.Contains(string(page), strings.TrimSpace(code)) {
		t.Error("the example in nanogate/docs/design/filters.md isn't the one in example_test.go")
	}
}
