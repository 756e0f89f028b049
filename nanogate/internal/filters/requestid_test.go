package filters

import (
	"regexp"
	"strings"
	"testing"
)

func TestRequestID(t *testing.T) {
	drawn := `[0-9a-f]{32}`
	for _, c := range []struct{ settings, fields, want string }{
		{"on", "", `x-request-id: ` + drawn},
		{"on", "X-Request-Id: mine\r\n", `x-request-id: ` + drawn},
		{"{header: X-Trace}", "", `x-trace: ` + drawn},
		{"{keep: true}", "", `x-request-id: ` + drawn},
		{"{keep: true}", "X-Request-Id: a-1.B_2\r\n", `x-request-id: a-1\.B_2`},
		{"{keep: true}", "X-Request-Id: a b\r\n", `x-request-id: ` + drawn},
		{"{keep: true}", "X-Request-Id: " + strings.Repeat("a", 129) + "\r\n", `x-request-id: ` + drawn},
	} {
		r := asked(t, c.fields)
		if reply := made(t, requestID, c.settings).Check(r); reply != nil {
			t.Errorf("%+v: refused", c)
		}
		if !regexp.MustCompile(`^`+c.want+`\r\n$`).Match(r.Forwards()) || string(r.Responds()) != string(r.Forwards()) || len(r.Drops()) != 1 {
			t.Errorf("%+v: forwards %q, responds %q, drops %q", c, r.Forwards(), r.Responds(), r.Drops())
		}
	}
	one, other := asked(t, ""), asked(t, "")
	f := made(t, requestID, "on")
	if f.Check(one); f.Check(other) != nil || string(one.Forwards()) == string(other.Forwards()) {
		t.Error("two requests have the same id")
	}
	for settings, want := range map[string]string{
		"off":                         "expected on, or fields",
		"{header: content-length}":    "no meaning yet",
		"{header: Host}":              "no meaning yet",
		"{header: a b}":               "no meaning yet",
		"{heeder: x}":                 "header",
		"{keep: maybe}":               "true or false",
		"[]":                          "expected on, or fields",
		"{header: x-a, header: x}":    "",
		"{header: transfer-encoding}": "no meaning yet",
	} {
		if problems := wrong(requestID, settings); len(problems) == 0 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%s: %v", settings, problems)
		}
	}
}

// A request gets its id without an allocation of its own.
func TestRequestIDAllocates(t *testing.T) {
	f, r := made(t, requestID, "on"), asked(t, "")
	head, text := r.Head, r.Buf
	if n := testing.AllocsPerRun(1000, func() { r.Begin(head, text); f.Check(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
