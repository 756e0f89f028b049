package repetitions

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dyno.example/dyno/load/profile"
)

// Text writes the plan for people.
func (p *Plan) Text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, run %s: %d blocks of %d cells, each measured for %s, and %s more for its start.\n",
		p.Study, p.Run, p.Blocks, p.Cells, short(p.Trial), short(p.Start))
	fmt.Fprintf(&out, "To find a difference of %s in %s of the studies, at %s confidence:\n\n",
		share(p.Goal.Ratio-1), share(p.Goal.Power), share(p.Goal.Level))
	fmt.Fprintf(&out, "%-14s %10s %10s %10s %11s   %-22s %s\n", "", "two cells", "restarts", "seconds", "the run", "it takes", "or, in less time")
	fmt.Fprintf(&out, "%-14s %10s %10s %10s %11s\n", "", "differ by", "differ by", "differ by", "could find")
	for i := range p.Needs {
		n := &p.Needs[i]
		restarts, seconds := "", ""
		if n.Seconds.Starts > 0 {
			restarts, seconds = share(n.Seconds.Between), share(n.Seconds.Within)
		}
		fmt.Fprintf(&out, "%-14s %10s %10s %10s %11s   %-22s %s\n", n.Metric, share(n.Pair), restarts, seconds, found(n.Found), n.Needed.text(), n.Better.proposal())
	}
	fmt.Fprint(&out, "\nDeviations are standard deviations: of the ratio of two cells in one block, of\nrestarts beyond what their seconds explain, and of single seconds.\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func (s *Series) text() string {
	if s.Blocks == 0 {
		return "too many"
	}
	return fmt.Sprintf("%d blocks, %s", s.Blocks, short(s.Takes.Round(time.Second)))
}

func (s *Series) proposal() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d blocks of %s, %s", s.Blocks, short(s.Trial), short(s.Takes.Round(time.Second)))
}

func found(ratio float64) string {
	if math.IsInf(ratio, 0) {
		return "nothing"
	}
	return share(ratio - 1)
}

// share writes a share in percent with two digits.
func share(x float64) string {
	if x >= 0.0995 {
		return fmt.Sprintf("%.0f %%", 100*x)
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

// short writes a duration to a tenth of a second, without parts that are zero.
func short(d time.Duration) string { return profile.ShortDuration(d.Round(100 * time.Millisecond)) }
