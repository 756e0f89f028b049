package stats

import (
	"math"

	"dyno.example/internal/i18n"
)

// Covariate is what became of the speed of the machine as a control variate: a quantity
// measured next to each slice whose mean difference is known to be zero, as the order in a
// round is random, and which moves with the slice's cost (Lavenberg and Welch, "A
// Perspective on the Use of Control Variables to Increase the Efficiency of Monte Carlo
// Simulations", Management Science 27, 1981; Deng and others, "Improving the Sensitivity
// of Online Controlled Experiments by Utilizing Pre-Experiment Data", WSDM 2013).
//
// It is used only where it takes at least a tenth of the rounds' variance away from rounds
// that its slope was not fitted to. What chance made of the order is taken back by it;
// a subject that changes the machine's speed itself is no chance, and would have its own
// cost taken back: where the speeds next to the two differ by more than a random order
// makes likely, it is not used.
type Covariate struct {
	Used     bool         `json:"used"`
	Slope    float64      `json:"slope"`    // of the log ratio, by log of the speeds' ratio
	Explains float64      `json:"explains"` // share of the rounds' variance, out of sample
	Why      i18n.Message `json:"why,omitzero"`
}

const (
	covariateRounds = 20   // below which no slope is fitted
	covariateHelps  = 0.1  // of the variance, at least
	covariateApart  = 3.3  // standard errors that the speeds next to the two may differ by: one in 1,000 by chance
	covariateFolds  = 5    // of which each has its slope from the others
	steepest        = 1.25 // cost in proportion to the speed has a slope of 1; the speed of other work may change more
)

// control adjusts the rounds, if that helps, and says what it did.
func control(starts []rounds) (c Covariate) {
	count := 0
	for i := range starts {
		if starts[i].speeds == nil {
			c.Why = i18n.New("stats.speed-unknown", "the speed of the machine was not measured next to each slice")
			return c
		}
		count += len(starts[i].speeds)
	}
	if count < covariateRounds {
		c.Why = i18n.New("stats.speed-few-rounds", "%d rounds are too few to learn what speed explains", count)
		return c
	}
	var slopes [covariateFolds]float64
	for fold := range slopes {
		slopes[fold] = slopeOf(starts, fold)
	}
	c.Slope = slopeOf(starts, -1)
	c.Explains = explained(starts, slopes[:])
	switch apart := speedsApart(starts, count); {
	case math.IsNaN(apart) || c.Slope <= 0:
		c.Why = i18n.New("stats.speed-explains-nothing", "the speed of the machine explains nothing here")
	case c.Explains < covariateHelps:
		c.Why = i18n.New("stats.speed-explains-little", "the speed of the machine explains %.0f %% of what rounds differ by: too little to be used", 100*max(c.Explains, 0))
	case apart > covariateApart:
		c.Why = i18n.New("stats.speed-is-the-subjects", "the machine was faster next to one of the two than a random order makes likely: that may be its own doing, so it is not taken back")
	default:
		c.Used = true
		for i := range starts {
			starts[i].adjust(slopes[:])
		}
	}
	return c
}

// slopeOf is fitted to all rounds but those of one fold, within starts.
func slopeOf(starts []rounds, without int) float64 {
	xx, xy := 0.0, 0.0
	for i := range starts {
		r := &starts[i]
		meanX, meanY, n := 0.0, 0.0, 0.0
		for j, x := range r.speeds {
			if j%covariateFolds != without {
				meanX, meanY, n = meanX+x, meanY+r.residuals[j], n+1
			}
		}
		for j, x := range r.speeds {
			if j%covariateFolds != without {
				dx := x - meanX/n
				xx, xy = xx+dx*dx, xy+dx*(r.residuals[j]-meanY/n)
			}
		}
	}
	if xx == 0 {
		return 0
	}
	return min(max(xy/xx, 0), steepest)
}

// explained is the share of the variance that slopes of other folds take away.
func explained(starts []rounds, slopes []float64) float64 {
	before, after := 0.0, 0.0
	for i := range starts {
		r := &starts[i]
		meanX := mean(r.speeds)
		for j, d := range r.residuals {
			left := d - slopes[j%covariateFolds]*(r.speeds[j]-meanX)
			before, after = before+d*d, after+left*left
		}
	}
	if before == 0 {
		return 0
	}
	return 1 - after/before
}

// speedsApart is how many standard errors the mean of the speeds' log ratio is from 0;
// NaN where speeds never differ.
func speedsApart(starts []rounds, count int) float64 {
	sum, squares := 0.0, 0.0
	for i := range starts {
		for _, x := range starts[i].speeds {
			sum, squares = sum+x, squares+x*x
		}
	}
	n := float64(count)
	variance := (squares - sum*sum/n) / (n - 1)
	return math.Abs(sum/n) / math.Sqrt(variance/n)
}

// adjust takes what the speeds explain out of the estimate and of the residuals.
func (r *rounds) adjust(slopes []float64) {
	shift := 0.0
	for j, x := range r.speeds {
		by := slopes[j%covariateFolds] * x
		r.residuals[j] -= by
		shift += by / float64(len(r.speeds))
	}
	r.log -= shift
	for j := range r.residuals {
		r.residuals[j] += shift
	}
}
