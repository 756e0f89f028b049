package limit

import (
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Shed keeps response times where they should be by refusing what is least important.
// How many requests may be under way is sought as [Concurrency] does; of these the last
// places are kept for what is more important (trunk reservation, Ross 1995): less
// important requests are refused while there is still room for others, so that the most
// important ones find it whatever the others do. What is critical is never refused.
type Shed struct {
	Concurrency
	refused [request.Importances]*request.Reply
}

// reserved is which part of all places is kept from requests of an importance.
//
// When the bound shrinks, it does so by a fifth: what is of high importance has room then
// too.
var reserved = [request.Importances]float64{request.Low: 0.30, request.Normal: 0.20}

// NewShed makes the limit.
func NewShed(rules *config.Shed) *Shed {
	s := &Shed{Concurrency: *NewConcurrency(&config.Concurrency{Objective: rules.Objective, Least: rules.Least, Most: rules.Most})}
	for i := range s.refused {
		s.refused[i] = request.Refuse(503, "the service is overloaded, and "+request.Importance(i).String()+" requests are refused first", "Retry-After: 1\r\n").For(request.RefusedShed)
	}
	return s
}

// Check refuses what there is no place for.
func (s *Shed) Check(r *request.Request) *request.Reply {
	if !s.enter(s.places(r.Importance)) {
		return s.refused[r.Importance]
	}
	return nil
}

// places is how many requests may be under way for one of that importance to be one of
// them.
func (s *Shed) places(i request.Importance) int64 {
	if i == request.Critical {
		return 1<<63 - 1
	}
	bound := s.bound.Load()
	return max(1, bound-int64(float64(bound)*reserved[i]+0.5))
}
