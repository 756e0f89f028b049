//go:build linux

package admin

import (
	"encoding/json"
	"math"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/snapshot"
)

// Canary is how a route's canary is doing.
type Canary struct {
	Route      string      `json:"route"`
	To         string      `json:"to"`
	State      string      `json:"state"` // running, or rolled-back
	Since      time.Time   `json:"since"`
	Why        string      `json:"why,omitempty"` // it was rolled back
	Step       int         `json:"step"`          // from 1
	Steps      int         `json:"steps"`
	Weight     float64     `json:"weight"`     // of the requests, at present
	Confidence float64     `json:"confidence"` // of the tests together, and of each interval
	Stable     canary.Side `json:"stable"`     // requests that were drawn for the route's own upstream
	Canary     canary.Side `json:"canary"`
	Failed     *Ratio      `json:"failed,omitempty"` // nil: nothing has failed yet
	Slow       *Ratio      `json:"slow,omitempty"`
}

// Ratio is how many times as often something happens at the canary. What isn't known, or
// has no bound, is left out.
type Ratio struct {
	Estimate *float64 `json:"estimate,omitempty"`
	Low      float64  `json:"low"`
	High     *float64 `json:"high,omitempty"`
	Allowed  float64  `json:"allowed"`
}

// canariesOf describes the canaries, in the order of the file.
func canariesOf(s *snapshot.Snapshot) []Canary {
	all := []Canary{}
	for _, r := range s.Routes {
		if r.Canary == nil {
			continue
		}
		c, is := r.Canary.Config, r.Canary.Report()
		all = append(all, Canary{
			Route: r.Name, To: targetName(&c.To), State: is.State.String(), Since: is.Since, Why: is.Why, Step: is.Step + 1, Steps: len(c.Steps), Weight: is.Weight,
			Confidence: c.Rules.Confidence, Stable: is.Stable, Canary: is.Canary, Failed: ratioOf(is.Failed, c.Rules.Errors), Slow: ratioOf(is.Slow, c.Rules.Slower),
		})
	}
	return all
}

func ratioOf(r canary.Ratio, allowed float64) *Ratio {
	if math.IsNaN(r.Estimate) {
		return nil
	}
	v := &Ratio{Low: r.Low, Allowed: allowed}
	if !math.IsInf(r.Estimate, 0) {
		v.Estimate = &r.Estimate
	}
	if !math.IsInf(r.High, 0) {
		v.High = &r.High
	}
	return v
}

// direct does something to the canary of {"route": name}.
func direct(g *gateway.Gateway, do func(*canary.Canary)) nano.Handler {
	return func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		var asked struct {
			Route string `json:"route"`
		}
		if err := json.Unmarshal(body, &asked); err != nil || asked.Route == "" {
			return nano.NewProblem(400, `expected {"route": name}`).Because(err)
		}
		for _, r := range g.Snapshot().Routes {
			if r.Name == asked.Route && r.Canary != nil {
				do(r.Canary)
				return c.JSON(200, canariesOf(g.Snapshot()))
			}
		}
		return nano.NewProblem(404, "there is no canary of a route of that name")
	}
}

func resumeCanary(k *canary.Canary)   { k.Resume(clock.Now()) }
func rollBackCanary(k *canary.Canary) { k.RollBack("by hand, at the admin address") }
