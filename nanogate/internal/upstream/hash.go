package upstream

import (
	"math"
	"slices"
	"strconv"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// ring is a consistent hash: each endpoint has points on a circle of numbers, and a
// key belongs to the first point at or after it (Karger 1997).
type ring struct {
	points    []point
	endpoints int
}

type point struct {
	at uint64
	e  *Endpoint
}

// pointsEach is how many points an endpoint of weight 1 has: their shares then differ
// by some 8 %.
const (
	pointsEach = 160
	mostPoints = 1 << 18
)

func newRing(usable []*Endpoint) *ring {
	r := &ring{endpoints: len(usable)}
	total := 0
	for _, e := range usable {
		total += int(e.Weight.Load()) * pointsEach
	}
	shrink := max(1, total/mostPoints)
	for _, e := range usable {
		for i := range max(1, int(e.Weight.Load())*pointsEach/shrink) {
			r.points = append(r.points, point{hashOf(e.Name + "#" + strconv.Itoa(i)), e})
		}
	}
	slices.SortFunc(r.points, func(a, b point) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	return r
}

// pick returns the endpoint that the key belongs to, or the next one on the circle
// while one has more requests under way than its share by the bound (Mirrokni,
// Thorup, Zadimoghaddam 2016), or was tried already.
func (r *ring) pick(u *Upstream, key uint64, tried *Endpoint) *Endpoint {
	bound := int32(math.Ceil(float64(u.under.Load()+1) * u.Config.Balance.Bound / float64(r.endpoints)))
	from, _ := slices.BinarySearchFunc(r.points, key, func(p point, key uint64) int {
		if p.at < key {
			return -1
		}
		return 1
	})
	for i := range r.points {
		e := r.points[(from+i)%len(r.points)].e
		if e != tried && e.under.Load() < bound {
			return e
		}
	}
	return r.points[from%len(r.points)].e // all are busy beyond their share: as if there were no bound
}

// Counts reports whether the upstream has to know how many requests it has under way
// altogether.
func (u *Upstream) Counts() bool { return u.Config.Balance.Kind == config.Hash }

// Count counts requests under way.
func (u *Upstream) Count(n int64) { u.under.Add(n) }

// key is the hash of what the configuration names. A request without it gets any.
func (u *Upstream) key(r *request.Request, l *Local) uint64 {
	b := &u.Config.Balance
	switch b.Key {
	case config.HashPath:
		return hashOf(r.Path)
	case config.HashHeader:
		if value, ok := r.UpstreamHeader(b.Name); ok {
			return hashOf(value)
		}
		return l.Random()
	case config.HashCookie:
		if value, ok := r.Cookie(b.Name); ok {
			return hashOf(value)
		}
		return l.Random()
	}
	a := r.Client.As16()
	return hashOf(a[:])
}

// hashOf is FNV-1a, mixed so that neighbours lie apart (the last step of MurmurHash3).
// It is the same in every process, so that gateways beside each other agree.
func hashOf[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
