package study

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// mostArms bounds how many programs are up at once.
const mostArms = 16

// arms are the cells of a plan that take turns with each other, each list by itself: those of
// one load, or where that would be too many those of one load that are [apart] from others. Figures of a load are
// compared with each other, so that all of them are measured in one way: where some of its cells can't take turns none
// do, and whole says why.
func arms(s *Study, cells []Cell) (groups [][]int, whole map[string]i18n.Message) {
	if !s.Trial.Slices.On() {
		return nil, nil
	}
	byLoad := make(map[string][]int)
	whole = make(map[string]i18n.Message)
	for i := range cells {
		c := &cells[i]
		byLoad[c.Load] = append(byLoad[c.Load], i)
		if why := c.WhyWhole(s); whole[c.Load].IsZero() {
			whole[c.Load] = why
		}
	}
	for _, load := range slices.Sorted(maps.Keys(byLoad)) {
		parts := apart(s, cells, byLoad[load])
		switch n := len(byLoad[load]); {
		case !whole[load].IsZero():
		case n == 1:
			whole[load] = i18n.New("study.whole-one", "there is nobody to take turns with")
		case slices.ContainsFunc(parts, func(g []int) bool { return len(g) < 2 || len(g) > mostArms }):
			whole[load] = i18n.New("study.whole-arms", "2 to %d programs take turns, and its %d cells can't be divided into as many", mostArms, n)
		default:
			groups = append(groups, parts...)
		}
	}
	return groups, whole
}

// mostDivided is of how many factors all sets are tried to divide cells by.
const mostDivided = 8

// apart divides cells of one load until no more than may be up at once are together: by the
// levels of as few factors as that takes. Of as many it is those by which the claims compare
// least, as the two sides of a comparison had better take turns, and then those that leave most
// together.
func apart(s *Study, cells []Cell, group []int) [][]int {
	if len(group) <= mostArms {
		return [][]int{group}
	}
	factors := slices.Sorted(maps.Keys(cells[group[0]].Levels))
	all := uint(1)<<len(factors) - 1
	if len(factors) > mostDivided {
		return divided(cells, group, factors, all)
	}
	best, bestOf := divided(cells, group, factors, all), all
	for set := uint(1); set < all; set++ {
		parts := divided(cells, group, factors, set)
		if largest(parts) > mostArms {
			continue
		}
		if order := cmp.Or(
			cmp.Compare(bits.OnesCount(set), bits.OnesCount(bestOf)),
			cmp.Compare(compared(s, factors, set), compared(s, factors, bestOf)),
			cmp.Compare(largest(best), largest(parts)),
		); order < 0 {
			best, bestOf = parts, set
		}
	}
	return best
}

// divided are the cells of a group by their levels of a set of factors, in the order of the plan.
func divided(cells []Cell, group []int, factors []string, set uint) (parts [][]int) {
	at := map[string]int{}
	for _, i := range group {
		var levels strings.Builder
		for f, factor := range factors {
			if set>>f&1 == 1 {
				levels.WriteString(cells[i].Levels[factor] + "\x00")
			}
		}
		part, known := at[levels.String()]
		if !known {
			part = len(parts)
			at[levels.String()], parts = part, append(parts, nil)
		}
		parts[part] = append(parts[part], i)
	}
	return parts
}

// compared is how many of a set of factors claims name levels of.
func compared(s *Study, factors []string, set uint) (n int) {
	for f, factor := range factors {
		if set>>f&1 == 0 {
			continue
		}
		for i := range s.Claims {
			if slices.ContainsFunc(s.Claims[i].Expressions, func(e string) bool { return namesLevel(e, factor) }) {
				n++
				break
			}
		}
	}
	return n
}

// namesLevel reports whether an expression names a level of a factor: "cpu[a, size=64]".
func namesLevel(expression, factor string) bool {
	for _, before := range []string{"[", ",", " "} { // not the end of another's name
		if strings.Contains(expression, before+factor+"=") {
			return true
		}
	}
	return false
}

func largest(parts [][]int) (n int) {
	for _, part := range parts {
		n = max(n, len(part))
	}
	return n
}
