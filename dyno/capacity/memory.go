package capacity

import (
	"cmp"
	"slices"

	"dyno.example/internal/i18n"
)

// slope is how fast memory grows between two levels, in bytes for a connection,
// and how many connections they are apart.
type slope struct{ bytes, apart float64 }

// growing is the share of the slopes, by weight, that must rise for memory to be
// said to grow with connections.
const growing = 0.9

// memoryPer1000 is the weighted median of the slopes between all pairs of levels
// (Theil 1950, Sen 1968; weighted by their distance as in Jaeckel 1972), which a
// garbage collection here and there does not move far. Only trials on the way up
// count, for few servers give memory back. Where it isn't known, note says why.
func memoryPer1000(levels []Level) (bytes *float64, note i18n.Message) {
	slopes := slopesOf(levels)
	const least = 3 // of three levels
	if len(slopes) < least {
		return nil, i18n.New("capacity.too-few-memory-levels", "fewer than three levels have the server's memory")
	}
	slices.SortFunc(slopes, func(a, b slope) int { return cmp.Compare(a.bytes, b.bytes) })
	weight, rising := 0.0, 0.0
	for _, s := range slopes {
		weight += s.apart
		if s.bytes > 0 {
			rising += s.apart
		}
	}
	if rising < growing*weight {
		return nil, i18n.New("capacity.memory-growth-unclear", "the server's memory does not clearly grow with its connections, as where it had taken it before; restart it and try again")
	}
	half := weight / 2
	for _, s := range slopes {
		if half -= s.apart; half <= 0 {
			per1000 := 1000 * s.bytes
			return &per1000, i18n.Message{}
		}
	}
	return nil, i18n.Message{}
}

// slopesOf are those between the first trials at any two levels.
func slopesOf(levels []Level) []slope {
	var n, bytes []float64
	for i := range levels {
		up := func(t LevelTrial) bool { return !t.Down && t.Memory > 0 }
		if j := slices.IndexFunc(levels[i].Trials, up); j >= 0 {
			n, bytes = append(n, float64(levels[i].Connections)), append(bytes, float64(levels[i].Trials[j].Memory))
		}
	}
	var slopes []slope
	for i := range n {
		for j := range i {
			slopes = append(slopes, slope{(bytes[i] - bytes[j]) / (n[i] - n[j]), n[i] - n[j]})
		}
	}
	return slopes
}
