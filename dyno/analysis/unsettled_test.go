package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/study"
)

// A server that does one request at a time, a millisecond each, and has all of its users at once when
// a slice begins: of those that it has done from 5 ms on, 25 ms long. Truth: once the load goes on, a
// response takes as many milliseconds as there are users.
func TestResponseTimesOfSlicesThatHaveNotSettled(t *testing.T) {
	const settle, length = 5 * time.Millisecond, 25 * time.Millisecond
	for users, told := range map[int]bool{1: true, 4: true, 5: true, 8: false, 16: false, 300: false} {
		s := newSums(profile.Closed, measure.Response)
		s.fromSlices(&archive.Trial{Sliced: &archive.Sliced{Settle: settle, Cut: true}}, []study.Cell{{Profile: profile.Profile{Mode: profile.Closed, Connections: users}}})
		h := measure.NewHistogram()
		sent := make([]time.Duration, users)
		for done := time.Millisecond; done <= settle+length; done += time.Millisecond {
			next := int(done/time.Millisecond-1) % users
			if done > settle {
				h.RecordValue(int64(done - sent[next]))
				s.completed++
				s.right++
			}
			sent[next] = done
		}
		s.length, s.hist[measure.Response] = length, h
		if got := h.Mean() / float64(time.Duration(users)*time.Millisecond); told && (got < 0.95 || got > 1.05) {
			t.Errorf("%d users: the slices' own mean is %.3g times what it is; they are said to tell it", users, got)
		}
		for _, f := range times(measure.Response) {
			if f.Name != "response.mean" && f.Name != "response.p50" {
				continue
			}
			if _, missing := f.of(s); missing.IsZero() != told {
				t.Errorf("%s of %d users: %q, told %v is wanted", f.Name, users, missing, told)
			}
			if _, ok := f.atLeast(s); !told && ok {
				t.Errorf("%s of %d users is said to be something at least", f.Name, users)
			}
		}
	}
}
