//go:build linux

package admin

import (
	"time"

	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/snapshot"
)

// Mirror is what mirroring a route has come to.
type Mirror struct {
	Route       string            `json:"route"`
	To          string            `json:"to"`
	Share       float64           `json:"share"`
	Same        uint64            `json:"same"` // responses in which all that is compared was the same
	Different   uint64            `json:"different"`
	Failed      uint64            `json:"failed"`            // no complete response in time
	Unread      uint64            `json:"unread,omitempty"`  // of same and different, those whose bodies couldn't be compared
	Dropped     map[string]uint64 `json:"dropped,omitempty"` // requests that weren't mirrored, by reason
	Differences []mirror.Differed `json:"differences"`       // by what is compared
	Mean        float64           `json:"mean_ms"`           // response time of the route's own upstream, of same and different
	ShadowMean  float64           `json:"shadow_mean_ms"`    // and of the other
}

// Samples are a route's latest requests whose responses differed.
type Samples struct {
	Route   string          `json:"route"`
	Samples []mirror.Sample `json:"samples"`
}

// mirrorsOf describes the routes that are mirrored, in the order of the file.
func mirrorsOf(s *snapshot.Snapshot) []Mirror {
	all := []Mirror{}
	for _, r := range s.Routes {
		if r.Mirror == nil {
			continue
		}
		c := r.Mirror.Record.Read()
		v := Mirror{Route: r.Name, To: targetName(&r.Mirror.Config.To), Share: r.Mirror.Config.Share, Same: c.Same, Different: c.Different, Failed: c.Failed,
			Unread: c.Unread, Dropped: map[string]uint64{}, Differences: c.Differed}
		for why, n := range c.Dropped {
			v.Dropped[why.String()] = n
		}
		if n := c.Same + c.Different; n > 0 {
			v.Mean, v.ShadowMean = ms(c.First/time.Duration(n)), ms(c.Second/time.Duration(n))
		}
		all = append(all, v)
	}
	return all
}

// samplesOf returns what is kept of differences, the newest first.
func samplesOf(s *snapshot.Snapshot) []Samples {
	all := []Samples{}
	for _, r := range s.Routes {
		if r.Mirror != nil {
			all = append(all, Samples{r.Name, r.Mirror.Record.Samples()})
		}
	}
	return all
}
