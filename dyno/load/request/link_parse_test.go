package request

import (
	"strings"
	"testing"
)

func TestParseSources(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int // addresses; 0: an error
		says string
	}{
		{"127.0.0.2", 1, ""},
		{"127.0.0.2-127.0.0.9", 8, ""},
		{"127.0.0.0/29", 6, ""},
		{"127.0.0.4/32", 1, ""},
		{"fd00::/126", 4, ""},
		{"::1", 1, ""},
		{"127.0.0.9-127.0.0.2", 0, "not a range"},
		{"127.0.0.1-::1", 0, "not a range"},
		{"10.0.0.0/8", 0, "65536"},
		{"10.0.0.0-10.9.0.0", 0, "65536"},
		{"localhost", 0, "not an address"},
	} {
		got, err := ParseSources(tt.text)
		if len(got) != tt.want || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %d addresses, %v", tt.text, len(got), err)
		}
	}
}

func TestParseReuse(t *testing.T) {
	for text, want := range map[string]int{"per-worker": 0, "shared": 0, "none": 0, "100": 100} {
		if _, n, err := ParseReuse(text); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"0", "-1", "all"} {
		if _, _, err := ParseReuse(text); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}
