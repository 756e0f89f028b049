package study

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/claim"
)

func TestAhead(t *testing.T) {
	const before, block = 5 * time.Second, 40 * time.Second
	for name, c := range map[string]struct {
		until       Until
		claims      int
		least, most int
	}{
		"no such run":              {Until{}, 1, 0, 0},
		"intervals":                {Until{Precision: 0.02, Blocks: 8}, 0, 3, 8},
		"intervals and claims":     {Until{Precision: 0.02, Blocks: 8}, 2, 3, 8},
		"claims":                   {Until{Blocks: 8}, 2, 2, 8},
		"nothing to find out":      {Until{Blocks: 8}, 0, 8, 8},
		"time, the shorter":        {Until{Precision: 0.02, Blocks: 30, Time: 10 * time.Minute}, 0, 3, 15},
		"blocks, the shorter":      {Until{Precision: 0.02, Blocks: 9, Time: 10 * time.Minute}, 0, 3, 9},
		"time alone":               {Until{Time: 90 * time.Second}, 1, 2, 2},
		"time for less than one":   {Until{Time: 10 * time.Second}, 1, 1, 1},
		"fewer than intervals ask": {Until{Precision: 0.02, Blocks: 2}, 0, 2, 2},
	} {
		s := &Study{Until: c.until, Claims: make([]claim.Claim, c.claims)}
		a := s.Ahead(before, block)
		if a.Least != c.least || a.Most != c.most {
			t.Errorf("%s: %d to %d blocks, want %d to %d", name, a.Least, a.Most, c.least, c.most)
		}
		if want := before + time.Duration(c.most)*block; c.most > 0 && a.After(a.Most) != want {
			t.Errorf("%s: %v at most, want %v", name, a.After(a.Most), want)
		}
	}
}

// A plan of one block tells of those that follow.
func TestDescribeAhead(t *testing.T) {
	s := parse(t, `study: s
subjects: [go/gin, go/chi]
blocks: 1
twin: false
`)
	p, err := Expand(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	p.Estimate = 45 * time.Second
	for _, c := range []struct {
		ahead Ahead
		want  string
	}{
		{Ahead{}, "plan: 2 cells × 1 block = 2 trials, about 45s; seed 3"},
		{Ahead{Least: 3, Most: 8, Before: 5 * time.Second, Block: 40 * time.Second}, "plan: 2 cells × 3 to 8 blocks = 6 to 16 trials, about 2m5s to 5m25s; seed 3"},
		{Ahead{Least: 2, Most: 2, Block: 40 * time.Second}, "plan: 2 cells × 2 blocks = 4 trials, about 1m20s; seed 3"},
	} {
		p.Ahead = c.ahead
		if got, _, _ := strings.Cut(described(p), "\n"); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
