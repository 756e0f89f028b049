package scripted

import (
	"math"
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	const ms = int64(time.Millisecond)
	frozen := Script{Delay: 2 * time.Millisecond, Freeze: time.Second, Every: 5 * time.Second}
	for _, c := range []struct {
		name             string
		script           Script
		arrival, wantDue int64
	}{
		{"at once", Script{}, 7 * ms, 7 * ms},
		{"constant", Script{Delay: 2 * time.Millisecond}, 7 * ms, 9 * ms},
		{"before the freeze", frozen, 3997 * ms, 3999 * ms},
		{"falls due in the freeze", frozen, 3999 * ms, 5000 * ms},
		{"arrives in the freeze", frozen, 4500 * ms, 5000 * ms},
		{"due right at its end", frozen, 4998 * ms, 5000 * ms},
		{"after it", frozen, 4999 * ms, 5001 * ms},
		{"the second freeze", frozen, 9500 * ms, 10000 * ms},
	} {
		const start = 123456789
		if got := c.script.Due(1, start+c.arrival, start) - start; got != c.wantDue {
			t.Errorf("%s: due at %d, want %d", c.name, got, c.wantDue)
		}
	}
}

func TestSlowShare(t *testing.T) {
	s := Script{Delay: time.Millisecond, Slow: 20 * time.Millisecond, SlowShare: 0.1}
	const n = 100_000
	slow, pairs, before := 0, 0, false
	for k := range n {
		now := s.Due(k, 0, 0) == int64(s.Slow)
		if now {
			slow++
			if before {
				pairs++
			}
		}
		before = now
	}
	// Binomial: five standard deviations either way.
	if off := math.Abs(float64(slow) - 0.1*n); off > 5*math.Sqrt(n*0.1*0.9) {
		t.Errorf("%d of %d are slow, want about a tenth", slow, n)
	}
	if off := math.Abs(float64(pairs) - 0.01*n); off > 5*math.Sqrt(n*0.01) {
		t.Errorf("%d slow ones follow a slow one, want about a hundredth of %d", pairs, n)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"delay=2ms", "delay=1ms,slow=20ms,share=0.1", "delay=0s,freeze=1s,every=5s"} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if s.String() != text {
			t.Errorf("%s is written as %s", text, s)
		}
	}
	for _, text := range []string{"2ms", "delay=2", "delay=-2ms", "share=0.1", "share=2,slow=1ms", "share=NaN,slow=1ms", "freeze=1s", "freeze=5s,every=5s", "every=-1s"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "delay=2ms", "delay=1ms,slow=20ms,share=0.1", "delay=0s,freeze=1s,every=5s", "share=NaN", ",="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q becomes %q, which becomes %q, %v", text, s, again, err)
		}
	})
}
