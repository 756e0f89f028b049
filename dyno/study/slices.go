package study

import (
	"slices"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Slices says how trials are cut into slices that take turns: all subjects of a block are
// up at once, and in each of so many rounds each has the load once, in random order. What is
// measured within a second is measured in the same state of the machine (duet benchmarking:
// Bulej et al., ICPE 2020). The zero value is trials that follow each other.
type Slices struct {
	Length time.Duration // of one slice: of what counts of it
	Settle time.Duration // loaded before it; 0: see [Slices.SettleFor]
	First  time.Duration // of it, what is told apart; 0: see [Slices.FirstOf]
	Rounds int           // 0: as many as make the duration of a trial with what settles before each
	Said   bool          // the study says whether there are; else see [Study.UsuallySliced]
	Beside bool          // cells in slices are trials too, in the same blocks, for what slices can't tell
}

// What a study that has slices has unless it says so, and what it may.
const (
	usualSlice = 15 * time.Millisecond
	leastSlice = 10 * time.Millisecond
	mostSlice  = time.Second
	mostSettle = 500 * time.Millisecond
	mostRounds = 100_000
)

// On reports whether there are slices.
func (s Slices) On() bool { return s.Length > 0 }

// With returns the slices as a word chooses them: "on" leaves lengths as they are, if there are any.
func (s Slices) With(word string) (Slices, error) {
	switch word {
	case "on", "both":
		if s.Said, s.Beside = true, word == "both"; s.Length == 0 {
			s.Length = usualSlice
		}
	case "off":
		s = Slices{Said: true}
	default:
		return s, i18n.Errorf("study.slices-on-off", "expected on, off or both, got %s", form.Quote(word))
	}
	return s, nil
}

// SettleFor is how long each slice is loaded before what counts, so that caches are warm
// again after the others, and the program runs as under a load that goes on.
func (s Slices) SettleFor() time.Duration {
	if s.Settle > 0 {
		return s.Settle
	}
	return max(s.Length/10, usualSettle)
}

// usualSettle is to be longer than a runtime takes to run as ever after a rest of some slices. What
// was measured of it is in docs/slices.md.
const usualSettle = 20 * time.Millisecond

// Cut are the parts of a slice of a load that goes on: how long it settles, and how long it counts.
func (s Slices) Cut() (settle, counts time.Duration) { return s.SettleFor(), s.Length }

// FirstOf is how much of what counts of a slice that is cut out of a load is told apart, so that it is seen
// whether the subject had settled: half of it, or what the study says.
func (s Slices) FirstOf() time.Duration {
	if s.First > 0 {
		return s.First
	}
	return s.Length / 2
}

// Apart are the parts of a slice of a load with a rate. It counts from a rest on, so that nothing has
// to settle but caches; the rest of the time it counts for the longer.
func (s Slices) Apart() (settle, counts time.Duration) {
	settle = min(s.SettleFor(), warmAgain)
	return settle, min(s.Length+s.SettleFor()-settle, mostSlice)
}

// warmAgain is how long it takes until caches are a subject's own again.
const warmAgain = 5 * time.Millisecond

// RoundsIn is how many rounds a trial of the timing has.
func (t Timing) RoundsIn() int {
	if t.Slices.Rounds > 0 {
		return t.Slices.Rounds
	}
	return max(1, int(t.Duration/max(t.Slices.Length+t.Slices.SettleFor(), 1)))
}

// betweenSlices is about what is waited and read at the ends of a slice.
const betweenSlices = 4 * time.Millisecond

// LengthInSlices is how long all of a trial's slices take, with what comes between them.
func (t Timing) LengthInSlices() time.Duration {
	return time.Duration(t.RoundsIn()) * (t.Slices.Length + t.Slices.SettleFor() + betweenSlices)
}

// slicesAt reads "on", "off", "both" or a mapping.
func slicesAt(at scope) (s Slices) {
	s.Said = true
	if !at.IsMapping() {
		switch at.oneOf("on", "off", "both") {
		case "both":
			s.Length, s.Beside = usualSlice, true
		case "on":
			s.Length = usualSlice
		}
		return s
	}
	f, _ := at.fields("length", "settle", "first", "rounds", "trials")
	s.Length = usualSlice
	if v, ok := f["length"]; ok {
		s.Length = v.Duration(leastSlice, mostSlice)
	}
	if v, ok := f["settle"]; ok {
		s.Settle = v.Duration(time.Millisecond, mostSettle)
	}
	if v, ok := f["first"]; ok {
		s.First = v.Duration(time.Millisecond, s.Length-time.Millisecond)
	}
	if v, ok := f["rounds"]; ok {
		s.Rounds = v.Integer(1, mostRounds)
	}
	if v, ok := f["trials"]; ok {
		s.Beside = v.oneOf("on", "off") == "on"
	}
	return s
}

// fewestRounds is how many rounds a block has at least in a study that doesn't ask for slices.
const fewestRounds = 10

// UsuallySliced returns the study with slices, unless it says whether there are, or reports
// and claims nothing that slices can tell. What they can't is measured in trials of their own.
func (s *Study) UsuallySliced() *Study {
	if s.Trial.Slices.Said {
		return s
	}
	told, untold := s.askedFor()
	other := s.WithSlices(Slices{Length: usualSlice, Beside: untold})
	if untold && !told || other.Trial.RoundsIn() < fewestRounds {
		return s
	}
	return other
}

// WithSlices returns the study, and its short form, with other slices.
func (s *Study) WithSlices(as Slices) *Study {
	other := *s
	other.Trial.Slices = as
	if other.Shorter.Trial.Duration > 0 {
		other.Shorter.Trial.Slices = as
	}
	return &other
}

// WhyWhole says why a cell's trials can't be cut into slices; nothing if they can.
func (c *Cell) WhyWhole(s *Study) i18n.Message {
	at := slices.IndexFunc(s.Subjects, func(sub Subject) bool { return sub.Name == c.Subject })
	load := slices.IndexFunc(s.Loads, func(l Load) bool { return l.Name == c.Load })
	switch {
	case s.Explain:
		return i18n.New("study.whole-explain", "evidence of its requests is collected, which is of a whole load")
	case len(s.Keep) > 0:
		return i18n.New("study.whole-keep", "what it keeps of its trials is of whole loads")
	case load >= 0 && s.Loads[load].Whole:
		return i18n.New("study.whole-load", "the study says so of its load")
	case at >= 0 && s.Subjects[at].URL != "":
		return i18n.New("study.whole-url", "what a service that is up already uses can't be seen at the ends of a slice")
	case c.Profile.Length() > 0:
		return i18n.New("study.whole-phases", "its load has phases")
	case c.Profile.Mode == profile.Closed && c.Profile.Think.Mean > 0:
		return i18n.New("study.whole-think", "its users think between requests")
	case c.Link.WebSocket != nil || c.Link.Events != nil:
		return i18n.New("study.whole-messages", "its load is one of messages")
	case c.Link.HTTP3:
		return i18n.New("study.whole-http3", "its load is sent over HTTP/3")
	case c.Link.Reuse == request.NoReuse || c.Link.PerConnection > 0 || c.Link.MaxAge > 0:
		return i18n.New("study.whole-connections", "its connections don't last")
	case c.Beside != nil:
		return i18n.New("study.whole-beside", "it is there for what slices can't tell")
	case len(c.Kernel) > 0:
		return i18n.New("study.whole-kernel", "a setting of the machine is varied, which all have alike")
	}
	return i18n.Message{}
}

// inSlices reorders a block's cells so that those of a group follow each other, each group
// where the first of it was, and returns the group of those that are in one.
func inSlices(order []int, groups [][]int) (cells []int, group map[int]int) {
	group = make(map[int]int)
	for g, list := range groups {
		for _, cell := range list {
			group[cell] = g
		}
	}
	done := make(map[int]bool)
	for _, cell := range order {
		switch g, in := group[cell]; {
		case !in:
			cells = append(cells, cell)
		case !done[g]:
			done[g] = true
			for _, other := range order {
				if of, in := group[other]; in && of == g {
					cells = append(cells, other)
				}
			}
		}
	}
	return cells, group
}

// Turns is the run of planned trials from an index on that take turns with each other.
func (p *Plan) Turns(from int) []PlannedTrial {
	first := &p.Trials[from]
	if !first.InSlices || first.Repeats != nil {
		return p.Trials[from : from+1]
	}
	to := from + 1
	for to < len(p.Trials) && p.together(first, &p.Trials[to]) {
		to++
	}
	return p.Trials[from:to]
}

func (p *Plan) together(a, b *PlannedTrial) bool {
	return b.InSlices && b.Repeats == nil && a.Block == b.Block && a.Group == b.Group
}
