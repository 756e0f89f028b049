package loadcmd

import (
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "0": {0}, "0,2-4": {0, 2, 3, 4}, "3,1": {3, 1}, "7-7": {7}} {
		if got, err := parseCPUs(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("parseCPUs(%q) = %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{",", "0,", "a", "-1", "3-1", "1-", "0-4096", "0 1", "1-2-3", "99999999999999999999"} {
		if got, err := parseCPUs(list); err == nil {
			t.Errorf("parseCPUs(%q) = %v, want an error", list, got)
		}
	}
}
