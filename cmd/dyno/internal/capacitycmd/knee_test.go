package capacitycmd

import (
	"slices"
	"testing"
)

func TestParseLevels(t *testing.T) {
	for text, want := range map[string][]int{
		"1": {1}, "4,2,2": {2, 4}, "500..2000+500": {500, 1000, 1500, 2000}, "1,10..25+10": {1, 10, 20},
	} {
		if got, err := parseLevels(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "0", "-1", "1..", "1..5", "5..1+1", "1..5+0", "1..2000000+5", "1..100000+1", "1,,2", "1..5+-1"} {
		if got, err := parseLevels(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
