package validity

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// noisyTrial makes up a trial of a subject that is well on a machine that is not
// quite: neighbouring seconds are alike (first-order autoregression), and all
// signals move together, as they do when a neighbour takes something.
func noisyTrial(random *rand.Rand, seconds int, deviation, alike float64) []archive.Window {
	x := random.NormFloat64()
	return trialOf(random.Uint64(), seconds, func(int) second {
		x = alike*x + math.Sqrt(1-alike*alike)*random.NormFloat64()
		s := steady
		slow := math.Exp(deviation * x)
		s.rate /= slow
		s.p50 = time.Duration(float64(s.p50) * slow)
		s.cost = time.Duration(float64(s.cost) * math.Sqrt(slow))
		s.rss += uint64(random.IntN(2 << 20))
		return s
	})
}

// Trials without fault are hardly ever flagged, however much seconds differ and
// however alike neighbours are.
func TestCleanTrialsAreNotFlagged(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		seconds          int
		deviation, alike float64
	}{{10, 0.01, 0}, {10, 0.03, 0.5}, {10, 0.04, 0.5}, {30, 0.02, 0.5}, {30, 0.05, 0.7}} {
		const trials = 200
		flagged := map[finding.Name]int{}
		all := 0
		for range trials {
			found := Trial(nil, noisyTrial(random, c.seconds, c.deviation, c.alike), closedLoop)
			for _, f := range found {
				flagged[f.Name]++
			}
			if len(found) > 0 {
				all++
			}
		}
		t.Logf("%+v: %.1f %% flagged: %v", c, 100*float64(all)/trials, flagged)
		if 50*all > trials {
			t.Errorf("%+v: %d of %d trials without fault are flagged: %v", c, all, trials, flagged)
		}
	}
}
