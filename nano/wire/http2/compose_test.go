package http2

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
)

// randomHead is a request's head as a decoder gives it, and whether a body follows whose
// length isn't known.
func randomHead(random *rand.Rand) (h *Header, unsized bool) {
	h = &Header{ContentLength: -1}
	pick := func(of ...string) Span { return h.addText(of[random.IntN(len(of))]) }
	h.Method, h.Path, h.Authority = pick("GET", "POST", "OPTIONS"), pick("/", "/a?b=c", "/%41/b", "/ü", ""), pick("h", "h:1", "[::1]", "h h", "")
	switch random.IntN(8) {
	case 0:
		h.Method, h.Path = h.addText("CONNECT"), Span{}
	case 1:
		h.Method, h.Protocol = h.addText("CONNECT"), h.addText("websocket")
	}
	names := []string{"accept", "cookie", "x-a", "te", "expect", "content-length"}
	for range random.IntN(6) {
		f := Field{Name: pick(names...), Value: pick("", "a", "100-continue", "3")}
		h.Fields = append(h.Fields, f)
		if string(f.Name.Of(h.Bytes)) == "content-length" {
			h.ContentLength = 3
		}
	}
	if random.IntN(4) == 0 {
		h.Fields = append(h.Fields, Field{Name: h.addText("host"), Value: pick("h", "other"), Known: NameHost})
	}
	return h, h.ContentLength < 0 && random.IntN(2) == 0
}

func lines(r *http1.Request, b []byte) string {
	var s strings.Builder
	s.WriteString(string(r.Method.Of(b)) + " " + string(r.Target.Of(b)) + "\n")
	for _, f := range r.Fields {
		s.WriteString(string(f.Name.Of(b)) + ": " + string(f.Value.Of(b)) + "\n")
	}
	return s.String()
}

// A head means the same where it is, as text, and when that text is parsed; what is refused
// in one form is so in the others.
func TestCompose(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	good := 0
	for range 20_000 {
		h, unsized := randomHead(random)
		var inPlace, asText, parsed http1.Request
		text, err := ComposeText(&asText, []byte("what was there"), h, unsized, 50)
		other := Compose(&inPlace, h, unsized, 50)
		if (err == nil) != (other == nil) {
			t.Fatalf("%q as text: %v, in place: %v", text, err, other)
		}
		if err != nil {
			continue
		}
		good++
		n, err := parsed.Parse(text, nil)
		if err != nil || n != len(text) {
			t.Fatalf("%q is no head of HTTP/1.1: %v", text, err)
		}
		want := lines(&asText, text)
		if got := lines(&parsed, text); got != want {
			t.Fatalf("%q is parsed as %q", text, got)
		}
		got := lines(&inPlace, h.Bytes)
		if unsized {
			want = strings.Replace(want, "transfer-encoding: chunked\n", "", 1)
		}
		if got != want {
			t.Fatalf("%q is %q in place, want %q", text, got, want)
		}
		for _, r := range []*http1.Request{&asText, &inPlace} {
			if r.ContentLength != parsed.ContentLength || r.Chunked != parsed.Chunked || r.Upgrade != parsed.Upgrade || r.Expect100 != parsed.Expect100 || r.KeepAlive != parsed.KeepAlive || r.Form != parsed.Form {
				t.Fatalf("%q is read as %+v, parsed as %+v", text, r, parsed)
			}
		}
		if !bytes.Equal(inPlace.Host.Of(h.Bytes), parsed.Host.Of(text)) || !bytes.Equal(inPlace.Path.Of(h.Bytes), parsed.Path.Of(text)) {
			t.Fatalf("%q has another host or path in place", text)
		}
	}
	if good < 2000 {
		t.Errorf("only %d heads were good ones", good)
	}
}

// Composing needs no memory once there is some.
func TestComposeAllocatesNothing(t *testing.T) {
	var h Header
	bytes := h.addText("GET")
	h.Method, h.Path, h.Authority, h.ContentLength = bytes, h.addText("/a"), h.addText("h"), -1
	h.Fields = []Field{{Name: h.addText("accept"), Value: h.addText("*/*")}}
	sent := len(h.Bytes)
	var r http1.Request
	var text []byte
	if n := testing.AllocsPerRun(100, func() {
		h.Bytes = h.Bytes[:sent]
		if err := Compose(&r, &h, false, 100); err != nil {
			t.Error(err)
		}
		var err error
		if text, err = ComposeText(&r, text, &h, false, 100); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
