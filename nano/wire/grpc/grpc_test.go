package grpc

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"
	"unicode/utf8"
)

func TestPrefix(t *testing.T) {
	for _, tt := range []struct {
		n          int
		compressed bool
		want       string
	}{
		{0, false, "\x00\x00\x00\x00\x00"},
		{258, true, "\x01\x00\x00\x01\x02"},
		{math.MaxUint32, false, "\x00\xff\xff\xff\xff"},
	} {
		got := AppendPrefix(nil, tt.n, tt.compressed)
		if string(got) != tt.want {
			t.Errorf("%d, %v: %x", tt.n, tt.compressed, got)
		}
		n, compressed, err := ParsePrefix(got)
		if int(n) != tt.n || compressed != tt.compressed || err != nil {
			t.Errorf("%x is read as %d, %v, %v", got, n, compressed, err)
		}
	}
	if _, _, err := ParsePrefix([]byte{2, 0, 0, 0, 0}); !errors.Is(err, ErrFlag) {
		t.Errorf("flag 2: %v", err)
	}
}

func TestContentType(t *testing.T) {
	for _, tt := range []struct {
		value, format string
		ok            bool
	}{
		{"application/grpc", "", true},
		{"Application/gRPC", "", true},
		{"application/grpc+proto", "proto", true},
		{"application/grpc+json; charset=utf-8", "json", true},
		{"application/grpc;x=y", "", true},
		{"application/grpc+", "", false},
		{"application/grpc-web", "web", false},
		{"application/grp", "", false},
		{"", "", false},
	} {
		if format, ok := SplitContentType(tt.value); ok != tt.ok || ok && format != tt.format {
			t.Errorf("%q: %q, %v", tt.value, format, ok)
		}
	}
}

func TestTimeout(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		text string
	}{
		{0, "0n"},
		{-1, "0n"},
		{99_999_999, "99999999n"},
		{100_000_000, "100000u"},
		{time.Second, "1000000u"},
		{99_999_999*time.Microsecond + 1, "100000m"},
		{time.Hour, "3600000m"},
		{100 * time.Hour, "360000S"},
		{math.MaxInt64, "2562048H"},
	} {
		got := AppendTimeout(nil, tt.d)
		if string(got) != tt.text {
			t.Errorf("%v is written %s, want %s", tt.d, got, tt.text)
		}
		if back, err := ParseTimeout(got); err != nil || back < tt.d {
			t.Errorf("%s is read as %v, %v: less than %v", got, back, err, tt.d)
		}
	}
	for _, bad := range []string{"", "1", "S", "1s", "-1S", "123456789n", "1.5S", "+1S"} {
		if d, err := ParseTimeout([]byte(bad)); err == nil {
			t.Errorf("%q is read as %v", bad, d)
		}
	}
	if d, err := ParseTimeout([]byte("99999999H")); d != math.MaxInt64 || err != nil {
		t.Errorf("99999999H: %v, %v", d, err)
	}
}

func TestCodes(t *testing.T) {
	for c := range Code(Codes) {
		if back, ok := NamedCode(c.String()); back != c || !ok {
			t.Errorf("%d is %s, which is %d", c, c, back)
		}
	}
	for text, want := range map[string]Code{"0": OK, "4": DeadlineExceeded, "16": Unauthenticated, "17": Unknown, "999999999": Unknown} {
		if c, ok := ParseCode([]byte(text)); c != want || !ok {
			t.Errorf("%s: %v, %v", text, c, ok)
		}
	}
	for _, bad := range []string{"", "x", "-1", "1 ", "1234567890"} {
		if c, ok := ParseCode([]byte(bad)); ok {
			t.Errorf("%q: %v", bad, c)
		}
	}
	if _, ok := NamedCode("CANCELED"); ok {
		t.Error("CANCELED is no name of the specification")
	}
	for code, want := range map[Code]int{OK: 200, Cancelled: 499, Unknown: 500, InvalidArgument: 400, DeadlineExceeded: 504, NotFound: 404, AlreadyExists: 409,
		PermissionDenied: 403, ResourceExhausted: 429, FailedPrecondition: 400, Aborted: 409, OutOfRange: 400, Unimplemented: 501, Internal: 500, Unavailable: 503, DataLoss: 500, Unauthenticated: 401} {
		if got := HTTPOfCode(code); got != want {
			t.Errorf("%v is %d, want %d", code, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"":           "",
		"not found":  "not found",
		"100%":       "100%25",
		"\t\n":       "%09%0A",
		"é😈":         "%C3%A9%F0%9F%98%88",
		"a\xffb":     "a%EF%BF%BDb",
		"~\x7f":      "~%7F",
		"no such: %": "no such: %25",
	} {
		if got := AppendMessage(nil, text); string(got) != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"%": "%", "%4": "%4", "%zz": "%zz", "%41%": "A%", "%c3%A9": "é"} {
		if got := ParseMessage([]byte(text)); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// FuzzMessage: what is written is printable ASCII, and read back as it was.
func FuzzMessage(f *testing.F) {
	f.Add("100% \xff é")
	f.Fuzz(func(t *testing.T, text string) {
		encoded := AppendMessage(nil, text)
		for _, c := range encoded {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is written %q", text, encoded)
			}
		}
		if got := ParseMessage(encoded); utf8.ValidString(text) && got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
	})
}

// FuzzTimeout: what is read can be written without becoming shorter.
func FuzzTimeout(f *testing.F) {
	f.Add("1S")
	f.Add("99999999H")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseTimeout([]byte(text))
		if err != nil {
			return
		}
		if back, err := ParseTimeout(AppendTimeout(nil, d)); err != nil || back < d {
			t.Fatalf("%q is %v, written and read %v, %v", text, d, back, err)
		}
	})
}

func TestBinary(t *testing.T) {
	for _, value := range []string{"", "a", "ab", "abc", "\x00\xff"} {
		text := AppendBinary(nil, []byte(value))
		if got, err := ParseBinary(text); err != nil || string(got) != value {
			t.Errorf("%q is written %s, read %q, %v", value, text, got, err)
		}
	}
	if got, err := ParseBinary([]byte("YQ==")); err != nil || !bytes.Equal(got, []byte("a")) {
		t.Errorf("with padding: %q, %v", got, err)
	}
	if _, err := ParseBinary([]byte("Y*")); err == nil {
		t.Error("what is no base64 is read")
	}
}

// TestAllocs: what is called for every message and call allocates nothing.
func TestAllocs(t *testing.T) {
	b, timeout := make([]byte, 0, 64), []byte("1000m")
	if n := testing.AllocsPerRun(100, func() {
		b = AppendPrefix(b[:0], 1, false)
		_, _, _ = ParsePrefix(b)
		b = AppendTimeout(b[:0], time.Second)
		_, _ = ParseTimeout(timeout)
		b = AppendMessage(b[:0], "not found")
		_, _ = SplitContentType("application/grpc+proto")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
