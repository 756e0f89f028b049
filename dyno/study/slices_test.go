package study

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/i18n"
)

// sliced is a study with what is given of its loads, trial and factors.
func sliced(t *testing.T, trial, rest string) *Study {
	t.Helper()
	s, err := Parse("test.yaml", fmt.Appendf(nil, "study: a\nsubjects: [{name: a, run: ./a}, {name: b, run: ./b}]\ntrial: %s\nblocks: 4\n%s\n", trial, rest), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSlicesAreRead(t *testing.T) {
	for text, want := range map[string]Slices{
		"{duration: 6s}":                                {},
		"{duration: 6s, slices: off}":                   {Said: true},
		"{duration: 6s, slices: on}":                    {Length: usualSlice, Said: true},
		"{duration: 6s, slices: {rounds: 7}}":           {Length: usualSlice, Rounds: 7, Said: true},
		"{duration: 6s, slices: {length: 50ms}}":        {Length: 50 * time.Millisecond, Said: true},
		"{duration: 6s, slices: {settle: 5ms}}":         {Length: usualSlice, Settle: 5 * time.Millisecond, Said: true},
		"{slices: {length: 1s, rounds: 9}, warmup: 1s}": {Length: time.Second, Rounds: 9, Said: true},
	} {
		if got := sliced(t, text, "").Trial.Slices; got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"{slices: maybe}":          "valid: on, off",
		"{slices: {length: 5ms}}":  "10ms",
		"{slices: {length: 2s}}":   "1s",
		"{slices: {settle: 0s}}":   "1ms",
		"{slices: {settle: 1s}}":   "500ms",
		"{slices: {first: 15ms}}":  "14ms",
		"{slices: {rounds: 0}}":    "1",
		"{slices: {lenght: 50ms}}": "length",
	} {
		_, err := Parse("test.yaml", []byte("study: a\nsubjects: [{name: a, run: ./a}]\ntrial: "+text+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestRounds(t *testing.T) {
	timing := Timing{Duration: 6 * time.Second, Slices: Slices{Length: 100 * time.Millisecond}}
	if n := timing.RoundsIn(); n != 50 { // of 120 ms each
		t.Errorf("%d rounds in 6 s", n)
	}
	if timing.Slices.Rounds = 5; timing.RoundsIn() != 5 || timing.LengthInSlices() < 500*time.Millisecond || timing.LengthInSlices() > 700*time.Millisecond {
		t.Errorf("5 rounds take %v", timing.LengthInSlices())
	}
	if settle, counts := (Slices{Length: usualSlice}).Apart(); settle != warmAgain || settle+counts != usualSettle+usualSlice {
		t.Errorf("with a rate %v count after %v", counts, settle)
	}
	if settle, counts := (Slices{Length: time.Second}).Apart(); settle != warmAgain || counts != time.Second {
		t.Errorf("of the longest slice with a rate %v count after %v", counts, settle)
	}
	for s, want := range map[Slices]time.Duration{
		{Length: 25 * time.Millisecond}:                               usualSettle,
		{Length: time.Second}:                                         100 * time.Millisecond,
		{Length: 25 * time.Millisecond, Settle: 5 * time.Millisecond}: 5 * time.Millisecond,
	} {
		if got := s.SettleFor(); got != want {
			t.Errorf("%+v is loaded for %v before it counts, want %v", s, got, want)
		}
	}
}

// Those that can take turns with each other follow each other in each block; all others are
// trials as ever.
func TestExpandInSlices(t *testing.T) {
	loads := `loads:
  - {name: saturate, closed: {connections: 4}}
  - {name: steady, open: {rate: 100, connections: 4}}
  - {name: stepped, open: {connections: 4, phases: [{constant: {rate: 10, duration: 1s}}, {constant: {rate: 20, duration: 1s}}]}}
  - {name: thinking, closed: {connections: 4, think: 10ms}}
  - {name: churning, closed: {connections: 4}, reuse: none}
`
	s := sliced(t, "{duration: 2s, slices: on}", loads)
	p, err := Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Cells) != 5*3 {
		t.Fatalf("%d cells", len(p.Cells))
	}
	for i := 0; i < len(p.Trials); {
		turns := p.Turns(i)
		first := &p.Cells[turns[0].Cell]
		if can := first.Load == "saturate" || first.Load == "steady"; len(turns) != 1+2*boolToInt(can) {
			t.Errorf("block %d: %d trials of %s take turns", turns[0].Block, len(turns), first.Load)
		}
		for _, one := range turns {
			if c := &p.Cells[one.Cell]; c.Load != first.Load || one.Block != turns[0].Block || one.InSlices != (c.Load == "saturate" || c.Load == "steady") {
				t.Errorf("%s takes turns with %s: %+v", c.Load, first.Load, one)
			}
		}
		i += len(turns)
	}
	if longer, err := p.Grow(s); err != nil || len(longer.Turns(len(p.Trials))) == 0 || longer.Blocks() != 5 {
		t.Errorf("one block more: %v", err)
	}
	var text strings.Builder
	p.Describe(&text, i18n.Message.String)
	if n := strings.Count(text.String(), "in slices"); n != 6 {
		t.Errorf("%d cells in slices:\n%s", n, &text)
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
