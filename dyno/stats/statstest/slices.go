package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// SlicedArm is a subject that takes turns.
type SlicedArm struct {
	Cost     float64 // of a request, as a multiple of the first arm's
	Plateau  float64 // standard deviation of the log cost among starts
	Levels   float64 // by what the log costs of its starts of two kinds are apart, of which each is as likely
	Noise    float64 // of a slice
	Collects int     // every so many slices …
	By       float64 // … one costs so much more, as a share
	Follows  float64 // exponent of the machine's slowness: 1 is in proportion
	Carries  float64 // by which share the slice after its own costs more
}

// Slices is a design: so many starts, each of so many rounds in which each arm has a slice
// of so many seconds, in random order.
type Slices struct {
	Host           Host
	Arms           []SlicedArm
	Starts, Rounds int
	Slice          float64 // seconds
	Gap            float64 // seconds between two slices
	Probe          float64 // standard deviation of what is read of the speed beside each slice; 0: it isn't read
}

// usual is what a slice of a Go server scatters by, and its starts.
const (
	usualPlateau = 0.01
	usualNoise   = 0.05
)

// Alike is so many arms like Go servers, of which the first is the reference.
func Alike(arms int) []SlicedArm {
	list := make([]SlicedArm, arms)
	for i := range list {
		list[i] = SlicedArm{Cost: 1, Plateau: usualPlateau, Noise: usualNoise, Follows: 1}
	}
	return list
}

// Draw draws what was measured: turns[start][arm][round].
func (d *Slices) Draw(r *rand.Rand) (turns [][][]stats.Turn) {
	turns, _ = d.DrawInTime(r)
	return turns
}

// DrawInTime also says in which order, by start.
func (d *Slices) DrawInTime(r *rand.Rand) (turns [][][]stats.Turn, slots [][]stats.Slot) {
	for range d.Starts {
		t, s := d.start(r)
		turns, slots = append(turns, t), append(slots, s)
	}
	return turns, slots
}

func (d *Slices) start(r *rand.Rand) ([][]stats.Turn, []stats.Slot) {
	slow, now := d.Host.New(r), 0.0
	var slots []stats.Slot
	carried := 0.0
	turns := make([][]stats.Turn, len(d.Arms))
	plateaus := make([]float64, len(d.Arms))
	phases := make([]int, len(d.Arms))
	for i, a := range d.Arms {
		turns[i] = make([]stats.Turn, d.Rounds)
		plateaus[i] = a.Plateau * r.NormFloat64()
		if a.Levels > 0 {
			plateaus[i] += a.Levels * (float64(r.IntN(2)) - 0.5)
		}
		phases[i] = r.IntN(max(a.Collects, 1))
	}
	before := slow(0)
	for round := range d.Rounds {
		for _, i := range r.Perm(len(d.Arms)) {
			a := &d.Arms[i]
			cost := a.Cost * math.Exp(plateaus[i]+a.Noise*r.NormFloat64()+a.Noise*a.Noise/2) // so that its inverse, a rate, is 1 on average
			if a.Collects > 0 && (round+phases[i])%a.Collects == 0 {
				cost *= 1 + a.By
			}
			cost *= 1 + carried
			now += d.Gap
			turns[i][round], before = d.turn(cost, a.Follows, before, &now, slow, r), slow(now)
			carried = a.Carries
			slots = append(slots, stats.Slot{Arm: i, Turn: turns[i][round]})
		}
	}
	return turns, slots
}

// turn is a slice of a subject that is busy all the time.
func (d *Slices) turn(cost, follows, before float64, now *float64, slow func(float64) float64, r *rand.Rand) (t stats.Turn) {
	const steps, request = 5, 10e3 // ns
	for range steps {
		*now += d.Slice / steps
		t.Requests += d.Slice / steps * 1e9 / (request * cost * math.Exp(follows*slow(*now)))
	}
	t.Spent = d.Slice * 1e9
	if d.Probe > 0 {
		t.Speed = 1e6 * math.Exp((before+slow(*now))/2+d.Probe*r.NormFloat64())
	}
	return t
}

// AgainstFirst are the comparisons of every other arm with the first.
func AgainstFirst(turns [][][]stats.Turn) (list [][]stats.Start) {
	for arm := 1; len(turns) > 0 && arm < len(turns[0]); arm++ {
		var starts []stats.Start
		for _, start := range turns {
			starts = append(starts, stats.Start{A: start[arm], B: start[0]})
		}
		list = append(list, starts)
	}
	return list
}

// Mean is what all requests cost by their number: of a slice that costs more there are
// fewer, as slices are equally long.
func (a SlicedArm) Mean() float64 {
	if a.Collects == 0 {
		return a.Cost
	}
	share := 1 / float64(a.Collects)
	return a.Cost / (1 - share + share/(1+a.By))
}

// SlicedOutcome is what simulated studies came to.
type SlicedOutcome struct {
	Covered Rate    // the interval held the true ratio
	Rounds  Rate    // so did the one of rounds only
	Used    Rate    // the speed was used
	Half    float64 // mean half-width of the interval, as a share
	Bias    float64 // mean log of estimate by truth
}

// Simulate draws studies and counts. Each of a study's comparisons counts.
func (d *Slices) Simulate(studies int, level float64, seed uint64) (o SlicedOutcome) {
	r := rand.New(rand.NewPCG(seed, 0x736c696365))
	for range studies {
		for i, starts := range AgainstFirst(d.Draw(r)) {
			s := stats.SlicedRatio(starts, level)
			truth := d.Arms[i+1].Mean() / d.Arms[0].Mean()
			o.Covered.Add(s.Ratio.Contains(truth))
			o.Rounds.Add(s.Rounds.Contains(truth))
			o.Used.Add(s.Covariate.Used)
			n := float64(o.Covered.Of)
			o.Half += (s.Ratio.High/s.Ratio.Estimate - 1 - o.Half) / n
			o.Bias += (math.Log(s.Ratio.Estimate/truth) - o.Bias) / n
		}
	}
	return o
}

// SimulateNeighbours draws the same studies, of which each start has one value of each arm,
// with what the slices beside its own explain taken back, as the lab's analysis has it. Used
// counts studies.
func (d *Slices) SimulateNeighbours(studies int, level float64, seed uint64) (o SlicedOutcome) {
	r := rand.New(rand.NewPCG(seed, 0x736c696365))
	for range studies {
		turns, slots := d.DrawInTime(r)
		n := stats.ByNeighbours(slots, len(d.Arms))
		o.Used.Add(n.Used)
		costs := make([][]float64, len(d.Arms))
		for start := range turns {
			for arm, list := range turns[start] {
				cost := costOf(list)
				if n.Used {
					cost *= math.Exp(n.Logs[start][arm])
				}
				costs[arm] = append(costs[arm], cost)
			}
		}
		for arm := 1; arm < len(costs); arm++ {
			truth := d.Arms[arm].Mean() / d.Arms[0].Mean()
			ratio := stats.Ratio(costs[arm], costs[0], level)
			o.Covered.Add(ratio.Contains(truth))
			count := float64(o.Covered.Of)
			o.Half += (ratio.High/ratio.Estimate - 1 - o.Half) / count
			o.Bias += (math.Log(ratio.Estimate/truth) - o.Bias) / count
		}
	}
	return o
}

// costOf is all that turns spent on all their requests.
func costOf(turns []stats.Turn) float64 {
	spent, requests := 0.0, 0.0
	for _, t := range turns {
		spent, requests = spent+t.Spent, requests+t.Requests
	}
	return spent / requests
}
