package measure

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
)

func TestIdle(t *testing.T) {
	for _, c := range []struct {
		name string
		idle *Idle
		want bool
	}{
		{"not looked at", nil, false},
		{"no time", &Idle{CPU: time.Second}, false},
		{"timers of a runtime", &Idle{Length: time.Second, CPU: 20 * time.Millisecond}, false},
		{"just below", &Idle{Length: time.Second, CPU: 149 * time.Millisecond}, false},
		{"a spinning thread", &Idle{Length: 250 * time.Millisecond, CPU: 245 * time.Millisecond}, true},
		{"two", &Idle{Length: 250 * time.Millisecond, CPU: 490 * time.Millisecond}, true},
	} {
		f, found := c.idle.Finding()
		if found != c.want || found && (f.Name != finding.IdleCPU || f.Validity != finding.Suspect) {
			t.Errorf("%s: %+v, %t", c.name, f, found)
		}
	}
	f, _ := (&Idle{Length: 250 * time.Millisecond, CPU: 245 * time.Millisecond}).Finding()
	if want := "the subject itself used 98 % of a CPU (limit 15 %, looked at for 250ms)"; !strings.Contains(f.Detail.String(), want) {
		t.Errorf("%q lacks %q", f.Detail, want)
	}
}
