package http1

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestChunksRoundTrip(t *testing.T) {
	var wire []byte
	for _, part := range []string{"hello", "", " ", strings.Repeat("x", 300)} {
		wire = AppendChunk(wire, []byte(part))
	}
	want := "hello " + strings.Repeat("x", 300)
	if content, rest, err := feedBody(chunkedBody(), string(wire)+"0\r\n\r\nrest", 7); content != want || rest != "rest" || err != nil {
		t.Errorf("content %q, rest %q, error %v", content, rest, err)
	}
}

func TestAppendDate(t *testing.T) {
	for _, sec := range []int64{0, 784111777, 951782400, 1795243201, 253402300799} {
		want := time.Unix(sec, 0).UTC().Format(http.TimeFormat)
		if got := string(AppendDate(nil, sec)); got != want {
			t.Errorf("%d: %q, want %q", sec, got, want)
		}
	}
	if got := string(AppendDate(nil, 784111777)); got != "Sun, 06 Nov 1994 08:49:37 GMT" {
		t.Errorf("the date of RFC 9110 5.6.7 came out as %q", got)
	}
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { AppendDate(buf, 784111777) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestStatusLine(t *testing.T) {
	for code, want := range map[int]string{
		200: "HTTP/1.1 200 OK\r\n", 404: "HTTP/1.1 404 Not Found\r\n", 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		299: "HTTP/1.1 299 \r\n", 999: "HTTP/1.1 999 \r\n",
	} {
		if got := StatusLine(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
	// Their names in RFC 9110 are newer than net/http's, and 418 is unused.
	renamed := map[int]bool{413: true, 414: true, 416: true, 418: true, 422: true}
	for code := 100; code < 600; code++ {
		if std := http.StatusText(code); std != Reason(code) && !renamed[code] {
			t.Errorf("%d: %q, net/http: %q", code, Reason(code), std)
		}
		var r Response
		if n, err := r.Feed([]byte(StatusLine(code) + "Content-Length: 0\r\n\r\n")); n == 0 || err != nil || r.Status != code {
			t.Errorf("%d: own status line is read as %d, error %v", code, r.Status, err)
		}
	}
}

func TestUnescaped(t *testing.T) {
	tests := []struct {
		text, query string
		ok          bool
	}{
		{"", "", true},
		{"/a/b", "/a/b", true},
		{"%41%2fb%C3%a9+c", "A/b\u00e9 c", true},
		{"%25%2525", "%%25", true},
		{"a%00", "a\x00", true},
		{"a%", "a", false},
		{"a%4", "a", false},
		{"a%4gb", "a", false},
	}
	for _, tt := range tests {
		in := []byte(tt.text)
		if got, ok := AppendUnescapedQuery(nil, in); string(got) != tt.query || ok != tt.ok {
			t.Errorf("query %q: %q, %v", tt.text, got, ok)
		}
	}
}

func TestValid(t *testing.T) {
	for c := range 256 {
		s := "a" + string([]byte{byte(c)}) + "a"
		isToken := c > ' ' && c < 0x7f && !strings.ContainsRune("\"(),/:;<=>?@[\\]{}", rune(c)) // RFC 9110 5.6.2
		if ValidToken(s) != isToken || ValidToken([]byte(s)) != isToken {
			t.Errorf("token with byte %#x: %v", c, ValidToken(s))
		}
		isValue := c >= ' ' && c != 0x7f || c == '\t' // RFC 9110 5.5
		if ValidFieldValue(s) != isValue || ValidFieldValue([]byte(s)) != isValue {
			t.Errorf("value with byte %#x: %v", c, ValidFieldValue(s))
		}
	}
	if ValidToken("") || !ValidFieldValue("") {
		t.Error("the empty string is a value and no token")
	}
}

func TestListHas(t *testing.T) {
	for list, want := range map[string]bool{
		"close": true, "CLOSE": true, "a, close": true, " close ,b": true, ",,close": true, "a,\tClose\t,": true,
		"": false, ",": false, "closed": false, "a close": false, "clos": false, "close;q=1": false,
	} {
		if got := ListHas([]byte(list), "close"); got != want {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	}
}

// Lines are taken apart as they were written.
func TestCutField(t *testing.T) {
	lines := []byte("A: b\r\nname:\t c d \t\r\nnothing\r\nempty:\r\n\r\n")
	for _, want := range [][2]string{{"A", "b"}, {"name", "c d"}, {"", ""}, {"empty", ""}, {"", ""}} {
		name, value, rest := CutField(lines)
		if string(name) != want[0] || string(value) != want[1] {
			t.Errorf("%q begins with %q and %q, want %q", lines, name, value, want)
		}
		lines = rest
	}
	if len(lines) > 0 {
		t.Errorf("%q is left", lines)
	}
}
