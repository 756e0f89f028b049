package subject

import "fmt"

// didYouMean returns `; did you mean "x"?` for the name of known that is
// nearest to wrong, or nothing when none is near enough to be a slip of the
// fingers.
func didYouMean(wrong string, known []string) string {
	best, distance := "", 1+max(2, len(wrong)/3)
	for _, k := range known {
		if d := editDistance(wrong, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
