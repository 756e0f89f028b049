// Package spelling finds the name that a user probably meant.
package spelling

import "strings"

// longest is the length above which a name is no slip of the fingers, and would
// cost time to compare.
const longest = 64

// Nearest returns the valid name with the smallest edit distance to written, if
// that is small enough to be a slip of the fingers. The last part of a name with
// slashes or dots is enough: "gin" finds "go/gin", "p99" "response.p99".
func Nearest(written string, valid []string) (name string, ok bool) {
	if written == "" || len(written) > longest {
		return "", false
	}
	written = strings.ToLower(written)
	best, bestDistance := "", 1+max(1, len(written)/3)
	for _, name := range valid {
		lower := strings.ToLower(name)
		if strings.HasSuffix(lower, "/"+written) || strings.HasSuffix(lower, "."+written) {
			return name, true
		}
		if d := Distance(written, lower); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best, best != ""
}

// Distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment; Damerau 1964). It
// compares bytes: the names it is used for are ASCII.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
