package router

import (
	"regexp/syntax"
	"unicode"
)

// maxPairs bounds the search for a common word.
const maxPairs = 1 << 16

// commonWord returns a text that both regular expressions match as a whole. It walks
// the product of the two automata (Hopcroft, Motwani, Ullman, "Introduction to Automata
// Theory", 4.2.1), pair of states by pair of states. Anchors and word boundaries are
// taken to hold, and what takes too many steps is taken to overlap: the result may be a
// false yes, never a false no.
func commonWord(a, b string) (word string, overlap bool) {
	x, y := programOf(a), programOf(b)
	if x == nil || y == nil {
		return "", true
	}
	type pair struct{ x, y uint32 }
	type step struct {
		at   pair
		from int // index of the step before; -1: none
		char rune
	}
	seen := map[pair]bool{}
	var steps []step
	add := func(x1, y1 []uint32, from int, char rune) {
		for _, i := range x1 {
			for _, j := range y1 {
				if p := (pair{i, j}); !seen[p] {
					seen[p] = true
					steps = append(steps, step{p, from, char})
				}
			}
		}
	}
	add(closureOf(x, uint32(x.Start)), closureOf(y, uint32(y.Start)), -1, 0)
	for at := 0; at < len(steps); at++ {
		if len(steps) > maxPairs {
			return "", true
		}
		s := steps[at]
		i, j := &x.Inst[s.at.x], &y.Inst[s.at.y]
		if i.Op == syntax.InstMatch && j.Op == syntax.InstMatch {
			var text []rune
			for k := at; steps[k].from >= 0; k = steps[k].from {
				text = append([]rune{steps[k].char}, text...)
			}
			if len(text) > 0 { // parameters are never empty
				return string(text), true
			}
			continue
		}
		if i.Op == syntax.InstMatch || j.Op == syntax.InstMatch {
			continue
		}
		if c, ok := commonRune(i, j); ok {
			add(closureOf(x, i.Out), closureOf(y, j.Out), at, c)
		}
	}
	return "", false
}

func programOf(expr string) *syntax.Prog {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	p, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil
	}
	return p
}

// closureOf returns the instructions that read or match, reached from pc without
// reading.
func closureOf(p *syntax.Prog, pc uint32) []uint32 {
	var found []uint32
	seen := map[uint32]bool{}
	todo := []uint32{pc}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &p.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			todo = append(todo, i.Out)
		case syntax.InstFail:
		default:
			found = append(found, pc)
		}
	}
	return found
}

// commonRune returns a character that both instructions read. If their ranges
// meet, they do so where one of the ranges begins. A slash can't be sent but in an
// escape, so others are tried first.
func commonRune(a, b *syntax.Inst) (rune, bool) {
	tried := []rune{'a', '0', '-'}
	for _, i := range [...]*syntax.Inst{a, b} {
		for k := 0; k < len(i.Rune); k += 2 {
			c := i.Rune[k]
			tried = append(tried, c)
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				tried = append(tried, f)
			}
		}
	}
	for _, c := range tried {
		if a.MatchRune(c) && b.MatchRune(c) {
			return c, true
		}
	}
	return 0, false
}
