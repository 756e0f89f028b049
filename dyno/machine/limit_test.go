package machine

import (
	"errors"
	"strings"
	"testing"
)

func TestRaise(t *testing.T) {
	refused := errors.New("not permitted")
	const most = 4096 // that a user without rights has
	tests := []struct {
		name             string
		need, soft, hard uint64
		root             bool
		have             uint64
		fails            bool
	}{
		{name: "enough", need: 1000, soft: 1024, hard: 4096, have: 1024},
		{name: "soft limit raised", need: 2000, soft: 1024, hard: 4096, have: 2000},
		{name: "hard limit raised by root", need: 9000, soft: 1024, hard: 4096, root: true, have: 9000},
		{name: "as far as it goes", need: 9000, soft: 1024, hard: 4096, have: 4096, fails: true},
		{name: "nothing left to raise", need: 9000, soft: 4096, hard: 4096, have: 4096, fails: true},
		{name: "less granted than promised", need: 9000, soft: 1024, hard: 1 << 40, have: 1024, fails: true},
	}
	for _, test := range tests {
		set := func(soft, hard uint64) error {
			if !test.root && (soft > most || hard > test.hard) {
				return refused
			}
			return nil
		}
		have, err := raise(test.need, test.soft, test.hard, set)
		if have != test.have || (err != nil) != test.fails {
			t.Errorf("%s: have %d, %v; want %d", test.name, have, err, test.have)
		}
		if err == nil {
			continue
		}
		for _, want := range []string{"9000 files", "ulimit -n 9000", "the limit is", "hard limit"} {
			if !errors.Is(err, refused) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q does not say %q", test.name, err, want)
			}
		}
	}
}

func TestRaiseFileLimitThatIsHighEnough(t *testing.T) {
	have, err := RaiseFileLimit(1)
	if err != nil || have < 1 {
		t.Errorf("have %d, %v", have, err)
	}
	if again, err := RaiseFileLimit(have); again != have || err != nil {
		t.Errorf("have %d, then %d, %v", have, again, err)
	}
}
