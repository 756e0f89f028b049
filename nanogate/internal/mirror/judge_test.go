package mirror

import (
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// What is seen to be the same at once is the same in every way that is compared; what isn't
// is looked at again.
func TestSeenSame(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	with := func(a capturedResponse, trailers string, long bool) capturedResponse {
		a.trailers, a.long = []byte(trailers), long
		return a
	}
	all := config.Compare{Status: true, Headers: []string{"x-a"}, Body: true}
	for name, c := range map[string]struct {
		rules         config.Compare
		first, second capturedResponse
		want          bool
	}{
		"the same":          {all, responseOf(t, ok+"X-A: 1\r\nX-A: 2\r\n\r\n", "a"), responseOf(t, ok+"Date: now\r\nx-a: 1\r\nX-B: 3\r\nX-A: 2\r\n\r\n", "a"), true},
		"status":            {all, responseOf(t, ok+"\r\n", ""), responseOf(t, "HTTP/1.1 404 Not Found\r\n\r\n", ""), false},
		"another reason":    {all, responseOf(t, ok+"\r\n", ""), responseOf(t, "HTTP/1.1 200 Fine\r\n\r\n", ""), true},
		"a value":           {all, responseOf(t, ok+"X-A: 1\r\n\r\n", ""), responseOf(t, ok+"X-A: 2\r\n\r\n", ""), false},
		"one value less":    {all, responseOf(t, ok+"X-A: 1\r\nX-A: 2\r\n\r\n", ""), responseOf(t, ok+"X-A: 1\r\n\r\n", ""), false},
		"one value more":    {all, responseOf(t, ok+"X-A: 1\r\n\r\n", ""), responseOf(t, ok+"X-A: 1\r\nX-A: 2\r\n\r\n", ""), false},
		"other order":       {all, responseOf(t, ok+"X-A: 2\r\nX-A: 1\r\n\r\n", ""), responseOf(t, ok+"X-A: 1\r\nX-A: 2\r\n\r\n", ""), false},
		"body":              {all, responseOf(t, ok+"\r\n", "a"), responseOf(t, ok+"\r\n", "b"), false},
		"both are long":     {all, with(responseOf(t, ok+"\r\n", "a"), "", true), with(responseOf(t, ok+"\r\n", "a"), "", true), false},
		"gRPC":              {all, with(responseOf(t, ok+"\r\n", ""), "grpc-status: 0\r\n", false), with(responseOf(t, ok+"\r\n", ""), "grpc-message: a\r\ngrpc-status: 0\r\n", false), true},
		"gRPC fails":        {all, with(responseOf(t, ok+"\r\n", ""), "grpc-status: 0\r\n", false), responseOf(t, ok+"grpc-status: 14\r\n\r\n", ""), false},
		"documents":         {config.Compare{JSON: []string{"$"}}, responseOf(t, ok+"\r\n", "{}"), responseOf(t, ok+"\r\n", "{}"), false},
		"no documents":      {config.Compare{JSON: []string{"$"}}, responseOf(t, ok+"\r\n", ""), responseOf(t, ok+"\r\n", ""), true},
		"nothing compared":  {config.Compare{}, responseOf(t, ok+"\r\n", "a"), responseOf(t, "HTTP/1.1 404 Not Found\r\n\r\n", strings.Repeat("b", 9)), true},
		"status, long body": {config.Compare{Status: true}, with(responseOf(t, ok+"\r\n", ""), "", true), with(responseOf(t, ok+"\r\n", ""), "", true), true},
	} {
		made, err := compile(&c.rules)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]capturedResponse{{c.first, c.second}, {c.second, c.first}} {
			seen := made.seenSame(&pair[0], &pair[1])
			if seen != c.want {
				t.Errorf("%s: %v, want %v", name, seen, c.want)
			}
			if found, unread := made.responses(pair[0].response(), pair[1].response(), nil); seen && (len(found) > 0 || unread) {
				t.Errorf("%s: seen to be the same, but %+v, unread %v", name, found, unread)
			}
		}
	}
}

// Whatever two responses are, seeing them as the same is never more than comparing finds.
func FuzzSeenSame(f *testing.F) {
	f.Add("X-A: 1\r\nX-B: 2\r\n", "a", "X-B: 2\r\nX-A: 1\r\n", "a", false)
	f.Add("grpc-status: 0\r\n", "", "x-a:\r\n", "", true)
	f.Fuzz(func(t *testing.T, head, content, otherHead, otherContent string, json bool) {
		rules := config.Compare{Status: true, Headers: []string{"x-a", "x-b"}, Body: true}
		if json {
			rules.JSON = []string{"$"}
		}
		made, err := compile(&rules)
		if err != nil {
			t.Fatal(err)
		}
		both := [2]capturedResponse{}
		for i, text := range []string{head, otherHead} {
			a := capturedResponse{head: []byte("HTTP/1.1 200 OK\r\n" + text + "\r\n"), status: 200, content: []byte([]string{content, otherContent}[i])}
			if n, err := a.parsed.Parse(a.head, false, nil); n == 0 || err != nil {
				t.Skip()
			}
			a.length = int64(len(a.content))
			both[i] = a
		}
		found, unread := made.responses(both[0].response(), both[1].response(), nil)
		if seen := made.seenSame(&both[0], &both[1]); seen && (len(found) > 0 || unread) || !seen && !json && len(found) == 0 {
			t.Errorf("seen to be the same: %v, found %+v, unread %v", seen, found, unread)
		}
	})
}
