package shrink

import "slices"

// Effort is what a search may take.
type Effort struct {
	Runs   int         // of the scenario, at most
	Enough func() bool // ends it earlier; nil: nothing does
	Near   []int       // requests, by ID: those of which it is likelier to fail come later; nil: nobody knows
}

// Search is for the smallest scenario that fails.
type Search struct {
	is   func() bool
	runs int
	Effort
}

// New begins a search. fails runs the scenario as it is at the moment.
func New(fails func() bool, e Effort) *Search { return &Search{is: fails, Effort: e} }

// Ran is how often the scenario was run.
func (s *Search) Ran() int { return s.runs }

// Spent reports whether it may be run no more.
func (s *Search) Spent() bool { return s.runs >= s.Runs || s.Enough != nil && s.Enough() }

// fails reports whether it still does.
func (s *Search) fails() bool {
	if s.Spent() {
		return false
	}
	s.runs++
	return s.is()
}

// Until does a pass again and again, as long as it makes the scenario smaller, which size measures.
func (s *Search) Until(size func() int, pass func()) {
	for before := -1; before != size() && !s.Spent(); {
		before = size()
		pass()
	}
}

// Without leaves out of a list what makes no difference, and sets what is left.
func Without[T any](s *Search, all []T, set func([]T)) {
	for size := len(all); size > 0; size /= 2 {
		for at := 0; at < len(all) && !s.Spent(); {
			rest := slices.Concat(all[:at], all[min(at+size, len(all)):])
			if set(rest); s.fails() {
				all = rest
			} else {
				at += size
			}
		}
	}
	set(all)
}

// Members leaves out what the members of a list have, of which with makes a copy that has less, and
// those that have nothing any more.
func Members[O comparable, M any](s *Search, owners []O, of func(O) []M, with func(O, []M) O, set func([]O)) {
	type member struct {
		of  O
		one M
	}
	var all []member
	for _, o := range owners {
		for _, m := range of(o) {
			all = append(all, member{o, m})
		}
	}
	Without(s, all, func(list []member) {
		var left []O
		for len(list) > 0 {
			first, n := list[0].of, 0
			var has []M
			for ; n < len(list) && list[n].of == first; n++ {
				has = append(has, list[n].one)
			}
			left, list = append(left, with(first, has)), list[n:]
		}
		set(left)
	})
}

// Fewest sets the fewest members of a list with which it fails, of whose requests it is likeliest, in
// their order in the list: that takes small worlds only, where going down from all of them takes large ones.
func Fewest[T comparable](s *Search, all []T, requests func(T) []int, set func([]T)) {
	near := map[int]int{}
	for i, id := range s.Near {
		near[id] = i + 1
	}
	rank := func(one T) (last int) {
		for _, id := range requests(one) {
			last = max(last, near[id])
		}
		return last
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b T) int { return rank(b) - rank(a) })
	for n := 1; n < len(all) && !s.Spent(); n *= 2 {
		kept := ranked[:n]
		set(slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !slices.Contains(kept, one) }))
		if s.fails() {
			return
		}
	}
	set(all)
}

// Plain makes all of that plain which makes no difference.
func (s *Search) Plain(list []Edit) {
	if len(list) == 0 || s.Spent() {
		return
	}
	undo := Together(nil, list)[0]()
	if s.fails() {
		return
	}
	undo()
	if half := len(list) / 2; half > 0 {
		s.Plain(list[:half])
		s.Plain(list[half:])
	}
}
