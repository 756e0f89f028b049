package archive

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	a, b, c := Address(strings.Repeat("a1", 32)), Address(strings.Repeat("a1", 31)+"b2"), Address("20260303"+strings.Repeat("0", 56))
	names := []Name{
		{"20260101-000000-a-0001", a}, {"20260202-000000-b-0002", b},
		{"20260202-000000-b-0002", c}, {"20260303-000000-c-0003", ""},
	}
	for ref, want := range map[string][]int{
		Latest: {3}, "20260101-000000-a-0001": {0}, "20260202": {1, 2}, "2026": {0, 1, 2, 3},
		"20260303": {3}, "sha256:20260303": {2}, // an ID goes before an address
		"a1a1a1": {0, 1}, string(b): {1}, "sha256:" + string(a): {0},
		"20260202-000000-b-0002." + string(c): {2},
		"":                                    nil, "a1a1a": nil, "x": nil, "sha256:": nil, "A1A1A1": nil,
	} {
		got := Match(names, ref)
		if len(got) != len(want) {
			t.Errorf("%q means %v, want %v", ref, got, want)
			continue
		}
		for i, k := range want {
			if got[i] != names[k] {
				t.Errorf("%q means %v, want %v", ref, got, want)
			}
		}
	}
	if got := Match(nil, Latest); len(got) != 0 {
		t.Errorf("the latest of none is %v", got)
	}
	_, err := Pick(Match(names, "20260202"), names, "20260202", "there")
	wantError(t, err, "begins the names of 2 runs", string(b), string(c))
}

func TestParseName(t *testing.T) {
	n := Name{"20260101-000000-a-0001", Address(strings.Repeat("a1", 32))}
	if got, err := ParseName(n.String()); err != nil || got != n {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", n.ID, n.ID + ".", "." + string(n.Address), "../x." + string(n.Address), n.ID + "." + string(n.Address) + "0", "A." + string(n.Address)} {
		if got, err := ParseName(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
