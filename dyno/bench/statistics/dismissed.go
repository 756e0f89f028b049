package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats/statstest"
)

// dismissals is how often doubts of simulated studies are dismissed.
type dismissals struct {
	wrongly statstest.Rate // of those that turned the verdict
	rightly statstest.Rate // of those that didn't
}

// disturbances are what is injected: in the trials of one subject, or of both; as much as is
// on record, or twice. Of starts on two levels the truth is what they cost on the lower one.
func disturbances() (list []analysistest.Disturbance) {
	for _, name := range []finding.Name{finding.GeneratorStalled, finding.GeneratorLate, finding.LagFloor, finding.ArrivalsOff, finding.Retransmits, finding.GeneratorGC, finding.Steal, finding.OtherLoad, finding.CPUSpeed, finding.RestartPlateau} {
		for _, of := range [][2]float64{{0, 0.9}, {0.5, 0.5}} {
			for _, beyond := range []float64{1, 2} {
				d := analysistest.Disturbance{Name: name, Of: of, Share: 0.05, Most: 4, Beyond: beyond, Bunched: 1}
				switch name {
				case finding.Steal, finding.OtherLoad:
					d.Share, d.Stolen = 0.15, 0.7
				case finding.Retransmits:
					d.Share, d.Most, d.Lost = 0, 0, 0.01
				case finding.GeneratorLate, finding.LagFloor, finding.ArrivalsOff, finding.CPUSpeed, finding.RestartPlateau:
					if beyond > 1 {
						continue // how late each was is on record itself, and so are the speed and what starts cost
					}
					switch name {
					case finding.CPUSpeed:
						d.Slower = 0.4
					case finding.RestartPlateau:
						d.Of, d.Apart = [2]float64{of[0], 0.5}, 0.2 // starts are on either level
					case finding.LagFloor:
						d.Share, d.Most, d.Coarse = 0, 0, time.Millisecond
					}
				}
				list = append(list, d)
			}
		}
	}
	return list
}

// dismissed counts how often the doubts of a run are dismissed though the verdict would have
// been another without what made them.
func (o *options) dismissed(r *Record) error {
	for _, d := range disturbances() {
		for _, mode := range []profile.Mode{profile.Closed, profile.Open} {
			if mode == profile.Closed && (d.Name == finding.GeneratorLate || d.Name == finding.LagFloor || d.Name == finding.ArrivalsOff) {
				continue
			}
			o.progress("dismissed: %s in %.0f and %.0f %% of trials, %s loop, %g times what is on record", d.Name, 100*d.Of[0], 100*d.Of[1], mode, d.Beyond)
			counts, err := countDismissed(mode, d, o.studies, o.seed)
			if err != nil {
				return err
			}
			series := fmt.Sprintf("%s in %.0f %% and %.0f %% of the trials, %s loop", d.Name, 100*d.Of[0], 100*d.Of[1], mode)
			wanted := "≤ 5 %"
			if d.Beyond > 1 {
				series, wanted = series+fmt.Sprintf(", %g times what is on record", d.Beyond), ""
			}
			r.add(Result{What: "dismissed", Series: series, Figure: "doubts dismissed that turned the verdict", Blocks: dismissedBlocks, Happened: counts.wrongly, Wanted: wanted})
			r.add(Result{What: "dismissed", Series: series, Figure: "doubts dismissed that did not", Blocks: dismissedBlocks, Happened: counts.rightly})
		}
	}
	return nil
}

const dismissedBlocks = 6

// dismissedClaims are of what a closed and an open loop are about. Each figure is that of b
// over that of a, or less it; %v is where the claim's bound stands.
var dismissedClaims = map[profile.Mode][]string{
	profile.Closed: {"throughput[b] / throughput[a] >= %v", "throughput[b] / throughput[a] >= %v published %[1]v", "cpu[b] / cpu[a] <= %v", "response.mean[b] / response.mean[a] <= %v", "response.p50[b] / response.p50[a] <= %v"},
	profile.Open:   {"response.p50[b] / response.p50[a] <= %v", "response.mean[b] / response.mean[a] <= %v published %[1]v", "service.p90[b] / service.p90[a] <= %v", "cpu[b] / cpu[a] <= %v", "cpu[b] / cpu[a] <= %v published %[1]v"},
}

// countDismissed simulates studies. Bounds of claims are drawn about the true effect, where
// verdicts are easiest to turn.
func countDismissed(mode profile.Mode, d analysistest.Disturbance, studies int, seed uint64) (n dismissals, err error) {
	r := rand.New(rand.NewPCG(seed, 9))
	for range studies {
		q := analysistest.Queue{Mode: mode, Length: 2 * time.Second, Blocks: dismissedBlocks, Noise: 0.02, Disturb: d,
			Costs: [2]time.Duration{time.Millisecond, time.Duration(float64(time.Millisecond) * (0.6 + 0.4*r.Float64()))}}
		disturbed, clean := q.Runs(r.Uint64())
		was, err := analysis.Analyse(clean)
		if err != nil {
			return n, err
		}
		var claims []claim.Claim
		for i, text := range dismissedClaims[mode] {
			claims = append(claims, claim.Claim{ID: fmt.Sprint("c", i), Expressions: []string{fmt.Sprintf(text, about(was, text, r))}})
		}
		for _, run := range []*archive.Run{disturbed, clean} {
			run.Manifest.Claims = claims
		}
		if was, err = analysis.Analyse(clean); err != nil {
			return n, err
		}
		is, err := analysis.Analyse(disturbed)
		if err != nil {
			return n, err
		}
		if is.Validity != finding.Suspect {
			continue // there is no doubt
		}
		for i := range claims {
			dismissed := len(is.Claims[i].Basis.Turning) == 0
			if is.Claims[i].Verdict != was.Claims[i].Verdict {
				n.wrongly.Add(dismissed)
			} else {
				n.rightly.Add(dismissed)
			}
		}
	}
	return n, nil
}

// about draws a bound near the effect that a claim is about.
func about(a *analysis.Analysis, text string, r *rand.Rand) float64 {
	var metric string
	for i, c := range text {
		if c == '[' {
			metric = text[:i]
			break
		}
	}
	ratio := 1.0
	for i := range a.Groups {
		for j := range a.Groups[i].Cells {
			if c := &a.Groups[i].Cells[j]; c.Subject == "b" && c.Ratios[metric].N > 0 {
				ratio = c.Ratios[metric].Estimate
			}
		}
	}
	return math.Round(1000*ratio*math.Exp(0.1*r.NormFloat64())) / 1000
}
