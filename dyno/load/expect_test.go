package load

import (
	"strings"
	"testing"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// TestExpectations holds responses of a real server to expectations, on every
// engine.
func TestExpectations(t *testing.T) {
	t.Parallel()
	const chunkedReply = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Kind: a\r\nSet-Cookie: id=s3cr3t\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"7;x=y\r\n{\"ok\":t\r\n4\r\nrue}\r\n0\r\n\r\n"
	for _, c := range []struct {
		name, reply string
		expect      []string
		kind, why   string
	}{
		{"nothing", okReply, nil, "", ""},
		{"status as expected", okReply, []string{"status 2xx"}, "", ""},
		{"status", okReply, []string{"status 201 404"}, "status", "status 200 OK"},
		{"body", okReply, []string{"body == ok"}, "", ""},
		{"wrong body", okReply, []string{"body contains no"}, "expect", `body contains no: got "ok"`},
		{"header in chunks", chunkedReply, []string{"header x-kind == a"}, "", ""},
		{"wrong header", chunkedReply, []string{"header x-kind == b"}, "expect", `header x-kind == b: got "a"`},
		{"JSON in chunks", chunkedReply, []string{"json $.ok == true", "body size == 11"}, "", ""},
		{"wrong JSON", chunkedReply, []string{"json $.ok == 1"}, "expect", "json $.ok == 1: got true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				s := spec(server(t, replies(c.reply)), profile.Profile{Mode: profile.Closed, Connections: 3})
				s.Engine, s.Duration, s.MaxRequests = engine, 0, 40
				s.Requests = []request.Request{{Name: "it", Path: "/", Expect: c.expect, Headers: []request.Header{{Name: "Authorization", Value: "Bearer s3cr3t"}}}}
				checkExpectation(t, ran(t, s), c.kind, c.why)
			})
		})
	}
}

// allWindows adds up the counts of all windows. The total leaves out invalid ones,
// of which a busy machine has some.
func allWindows(r *Result) (sum measure.Window) {
	for i := range r.Windows {
		sum.AddCounts(&r.Windows[i])
	}
	return sum
}

func checkExpectation(t *testing.T, r *Result, kind, why string) {
	t.Helper()
	got, want := allWindows(r), measure.Window{}
	switch kind {
	case "":
		want.Completed = 40
	case "status":
		want.Errors.Status = 40
	case "expect":
		want.Errors.Expect = 40
	}
	if got.Completed != want.Completed || got.Errors != want.Errors || r.FirstErrors[kind].String() != why {
		t.Fatalf("%d completed, errors %+v: %v", got.Completed, got.Errors, r.FirstErrors)
	}
	if kind == "" {
		return
	}
	if len(r.Failures) != 10 {
		t.Errorf("%d failures kept of 40", len(r.Failures))
	}
	for _, f := range r.Failures {
		if f.Kind != kind || f.Why.String() != why || f.Request != "it" || !strings.HasPrefix(f.Sent, "GET / HTTP/1.1\r\n") || !strings.Contains(f.Received, "HTTP/1.1 200 OK\r\n") {
			t.Fatalf("kept %+v", f)
		}
		if strings.Contains(f.Sent+f.Received, "s3cr3t") || !strings.Contains(f.Sent, "Authorization: "+request.Redacted) {
			t.Fatalf("a secret is kept: %+v", f)
		}
	}
}
