package main

import (
	"slices"
	"testing"
)

// TestSplit: words as redis-cli takes them.
func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                         nil,
		"  PING ":                  {"PING"},
		`SET a "b c" d`:            {"SET", "a", "b c", "d"},
		`SET "a\nb" ""`:            {"SET", "a\nb", ""},
		`HSET h "quoted \"word\""`: {"HSET", "h", `quoted "word"`},
	} {
		got, err := split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", line, got, err, want)
		}
	}
	if _, err := split(`SET a "b`); err == nil {
		t.Error("a quotation without an end is taken")
	}
}
