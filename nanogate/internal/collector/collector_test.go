package collector

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	for base, want := range map[string]string{
		"http://c:4318":              "http://c:4318/v1/metrics",
		"http://c:4318/":             "http://c:4318/v1/metrics",
		"https://c/otlp/v1/metrics":  "https://c/otlp/v1/metrics",
		"https://c/otlp/v1/metrics/": "https://c/otlp/v1/metrics",
	} {
		if got := URL(base, "metrics"); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"# ours\n\nX-Key: k\nAuthorization: Basic a:b\n": {"X-Key": "k", "Authorization": "Basic a:b"},
		"":          {},
		"X-Key k\n": nil,
		"X Key: k":  nil,
		"a: \x01":   nil,
	} {
		path := filepath.Join(t.TempDir(), "headers")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Headers(path)
		if (err != nil) != (want == nil) || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), path+":1: ") {
			t.Errorf("%q: %v names no line", text, err)
		}
	}
	if _, err := Headers(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that isn't there")
	}
	if all, err := Headers(""); all != nil || err != nil {
		t.Error(all, err)
	}
}
