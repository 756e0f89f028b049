package explain

import (
	"strings"
	"testing"

	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// Who is named with a wait for a CPU had it; who is named with a lock gave the sign. Neither is
// said of the other.
func TestWhoIsNamed(t *testing.T) {
	hog := &evidence.Task{PID: 7, Comm: "hog", Cgroup: "/noisy"}
	for _, test := range []struct {
		interval evidence.Interval
		want     string
	}{
		{evidence.Interval{Stage: evidence.CPUWait, By: hog}, "what ran instead: hog (/noisy)"},
		{evidence.Interval{Stage: evidence.Lock, By: hog}, "woken by: hog (/noisy)"},
		{evidence.Interval{Stage: evidence.CPUWait}, ""},
		{evidence.Interval{Stage: evidence.Lock, By: &evidence.Task{PID: 7}}, ""},
	} {
		var said []string
		for _, d := range details {
			if name := d.of(&test.interval, &evidence.Header{}); name != "" {
				said = append(said, d.say(i18n.Enumerate(i18n.Format("%s", name))).String())
			}
		}
		if got := strings.Join(said, "; "); got != test.want {
			t.Errorf("%s: %q, want %q", test.interval.Stage, got, test.want)
		}
	}
}
