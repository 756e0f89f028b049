package request

import (
	"strings"
	"testing"
)

func TestAppendCanonical(t *testing.T) {
	for _, c := range []struct {
		path, want string
		err        error
	}{
		{"/", "/", nil}, {"", "/", nil}, {"/a/b", "/a/b", nil}, {"/a/", "/a/", nil},
		{"/a//b", "/a/b", nil}, {"//", "/", nil}, {"//a///", "/a/", nil},
		{"/a/./b", "/a/b", nil}, {"/a/.", "/a/", nil}, {"/./", "/", nil},
		{"/a/../b", "/b", nil}, {"/a/..", "/", nil}, {"/a/b/../", "/a/", nil}, {"/a/b/..", "/a/", nil},
		{"/..", "", ErrAbovePath}, {"/a/../../b", "", ErrAbovePath}, {"/%2e%2E/a", "", ErrAbovePath},
		{"/a/%2e%2e/b", "/b", nil}, {"/a/.%2e/b", "/b", nil}, {"/...", "/...", nil}, {"/a/..b", "/a/..b", nil},
		{"/%41%7e%2d", "/A~-", nil}, {"/%c3%a9", "/%C3%A9", nil}, {"/%20%3f", "/%20%3F", nil}, {"/%25%32%65", "/%252e", nil},
		{"/%00", "", ErrNulInPath}, {"/a%2fb", "", ErrSlashInPath}, {"/a%5Cb", "", ErrSlashInPath},
		{"/a;b", "", ErrParameterInPath}, {"/a;/b", "", ErrParameterInPath}, {"/a/..;/b", "", ErrParameterInPath}, {"/a%3bb", "/a%3Bb", nil},
		{"/a/..%3B/b", "", ErrDotsInPath}, {"/a/%2e%2e%3bx/b", "", ErrDotsInPath}, {"/.%3b", "", ErrDotsInPath}, {"/%3b/b", "", ErrDotsInPath},
	} {
		got, err := AppendCanonical([]byte("x"), []byte(c.path), Keeps{})
		if string(got) != "x"+c.want || err != c.err {
			t.Errorf("%q: %q, %v; want %q, %v", c.path, got, err, c.want, c.err)
		}
	}
	if got, err := AppendCanonical(nil, []byte("/a%2fb%5c"), Keeps{Slashes: true}); string(got) != "/a%2Fb%5C" || err != nil {
		t.Errorf("escaped slashes kept: %q, %v", got, err)
	}
	for path, want := range map[string]string{"/a;b=c/d;e": "/a;b=c/d;e", "/...;a": "/...;a", "/a..;/b": "/a..;/b", "/a;/../b": "/b"} {
		if got, err := AppendCanonical(nil, []byte(path), Keeps{Parameters: true}); string(got) != want || err != nil {
			t.Errorf("parameters kept: %q is %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"/a/..;/b", "/a/..;x=y/b", "/a/.;/b", "/;/b", "/a/;x", "/a/%2e%2e;/b", "/a/.%2E;", "/;"} {
		if got, err := AppendCanonical(nil, []byte(path), Keeps{Parameters: true}); err != ErrDotsInPath {
			t.Errorf("parameters kept: %q is %q, %v", path, got, err)
		}
	}
}

// Who decodes before resolving dots takes those beside an escaped slash for a way up, past what
// guards the path: they have no other use.
func TestDotsBesideEscapedSlashes(t *testing.T) {
	for path, want := range map[string]error{
		"/a/..%2Fb": ErrDotsBesideSlash, "/a/%2e%2e%2fb": ErrDotsBesideSlash, "/a%2F..%2Fb": ErrDotsBesideSlash, "/a%2f..": ErrDotsBesideSlash, "/a%2F../b": ErrDotsBesideSlash,
		"/..%2Fb": ErrDotsBesideSlash, "/a%5C..%5cb": ErrDotsBesideSlash, "/a/.%2Fb": ErrDotsBesideSlash, "/a%2F.": ErrDotsBesideSlash,
		"/a%2F..;%2Fb": ErrDotsInPath, "/a%2F..;x": ErrDotsInPath, "/a%5C.%3Bx": ErrDotsInPath, "/a%2F;x": ErrDotsInPath,
		"/group%2Fproject": nil, "/a%2F..b": nil, "/a..%2Fb": nil, "/a%2F.b%2Fc": nil, "/a%2F...%2Fb": nil, "/http:%2F%2Fh": nil, "/a%2Fb/../c": nil, "/a/../b%2Fc": nil, "/%252F..%252Fb": nil,
	} {
		if got, err := AppendCanonical(nil, []byte(path), Keeps{Slashes: true, Parameters: true}); err != want {
			t.Errorf("%q is %q, %v; want %v", path, got, err, want)
		}
	}
}

// A path that is called clean is its own canonical form, and the canonical form is
// clean but for its escapes, and its own.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"/", "/a/../b", "//a/./..", "/%2e%2e/%41", "/a/%2F/", "/.../..a/a..", "/a;b/..c;d", "/a%2F..%5C;/../b"} {
		f.Add(seed)
	}
	keeps := Keeps{Slashes: true, Parameters: true}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || path[0] != '/' || !escapesComplete(path) {
			t.Skip()
		}
		escaped := strings.Contains(path, "%")
		once, err := AppendCanonical(nil, []byte(path), keeps)
		if Clean([]byte(path), escaped) && (err != nil || string(once) != path) {
			t.Fatalf("%q is clean, and canonical as %q, %v", path, once, err)
		}
		if err != nil {
			return
		}
		if len(once) == 0 || once[0] != '/' || strings.Contains(string(once), "//") || strings.Contains(string(once)+"/", "/../") || strings.Contains(string(once)+"/", "/./") {
			t.Fatalf("%q became %q", path, once)
		}
		twice, err := AppendCanonical(nil, once, keeps)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%q became %q, and that %q, %v", path, once, twice, err)
		}
	})
}

// escapesComplete reports whether each "%" has two digits behind it, as the parser of
// requests makes sure.
func escapesComplete(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			continue
		}
		if i+2 >= len(path) || !strings.Contains("0123456789abcdefABCDEF", path[i+1:i+2]) || !strings.Contains("0123456789abcdefABCDEF", path[i+2:i+3]) {
			return false
		}
		i += 2
	}
	return true
}
