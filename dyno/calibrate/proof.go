package calibrate

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// Proof is one test of the generator's honesty.
type Proof struct {
	Passed bool   `json:"passed"`
	Detail string `json:"detail"` // what was done and what was seen
}

// The proofs are made with a light load, on a few connections, and a pause that
// nobody can overlook.
const (
	proofPause       = 300 * time.Millisecond
	proofConnections = 8
	proofRate        = 1000 // requests per second, or a fifth of the ceiling if that is less
	stallTime        = 2 * time.Second
	stallTolerance   = 0.25 // of the pause
	freezeTime       = 2 * time.Second
)

// stall stops the null server in the middle of an open loop. All requests that
// were due meanwhile must have waited for what was left of it: evenly from
// nothing to the whole, so that half the pause is at a quantile known
// beforehand.
func (b *bench) stall(rate float64) (Proof, error) {
	spec := b.spec
	spec.Duration, spec.Timeout = stallTime, 5*time.Second
	spec.Profile = profile.Profile{Mode: profile.Open, Connections: proofConnections, Rate: rate}
	type outcome struct {
		length time.Duration
		err    error
	}
	var p Proof
	for range 3 {
		done := make(chan outcome, 1)
		spec.OnStart = func(measured int64) {
			go func() {
				_, length, err := b.server.freeze(measured+int64(stallTime)/3, proofPause)
				done <- outcome{length, err}
			}()
		}
		r, err := load.Run(b.ctx, spec)
		if err != nil {
			return Proof{}, err
		}
		o := <-done
		if o.err != nil || b.ctx.Err() != nil {
			return Proof{}, cause(b.ctx, o.err)
		}
		if p = judgeStall(r, o.length); p.Passed {
			break
		}
	}
	return p, nil
}

// judgeStall looks for a pause of the server in what an open loop of constant
// rate has measured.
func judgeStall(r *load.Result, pause time.Duration) Proof {
	h := r.Total.Hist[measure.Response]
	if invalid, _, reasons := r.LeftOut(); invalid > 0 || h == nil {
		return Proof{Detail: fmt.Sprintf("the generator was disturbed itself meanwhile (%v)", reasons)}
	}
	quantile := 100 * (1 - float64(pause)/2/float64(r.Total.Length))
	seen := time.Duration(h.ValueAtPercentile(quantile))
	longService := int64(0)
	for _, bar := range r.Total.Hist[measure.Service].Distribution() {
		if bar.From > int64(pause)/4 {
			longService += bar.Count
		}
	}
	return Proof{
		Passed: (seen - pause/2).Abs() <= time.Duration(stallTolerance*float64(pause)),
		Detail: fmt.Sprintf("the server was stopped for %v: response p%.1f should be %v, and is %v (by the service time alone, %d of %d requests would have told of it)",
			pause.Round(time.Millisecond), quantile, (pause / 2).Round(time.Millisecond), seen.Round(time.Millisecond), longService, h.TotalCount()),
	}
}

// freeze stops a generator, in a process of its own, early on. That
// second must be invalid and in no figure.
func (b *bench) freeze(rate float64) (Proof, error) {
	child, err := start(b.ctx, generatorArg, generatorOrder{
		Target: b.spec.Target, Engine: b.spec.Engine, CPUs: b.spec.CPUs, Connections: proofConnections, Streams: b.spec.Link.Streams, Rate: rate, Duration: freezeTime,
	})
	if err != nil {
		return Proof{}, err
	}
	defer child.stop()
	line, err := child.line()
	if err != nil {
		return Proof{}, cause(b.ctx, err)
	}
	var measured int64
	if err := json.Unmarshal([]byte(line), &measured); err != nil {
		return Proof{}, fmt.Errorf("a generator in a child said %.40q: %w", line, err)
	}
	from, pause, err := child.freeze(measured+int64(proofPause), proofPause)
	if err != nil {
		return Proof{}, err
	}
	if line, err = child.line(); err != nil {
		return Proof{}, cause(b.ctx, err)
	}
	var result generatorResult
	if err := json.Unmarshal([]byte(line), &result); err != nil {
		return Proof{}, fmt.Errorf("a generator in a child said %.40q: %w", line, err)
	}
	return judgeFreeze(&result, int((from-measured)/int64(time.Second)), pause), nil
}

// judgeFreeze holds that the window in which a pause began is invalid because of
// it, and that no invalid window is in the total.
func judgeFreeze(a *generatorResult, window int, pause time.Duration) Proof {
	marked, counted := 0, uint64(0)
	for _, w := range a.Windows {
		if w.Validity == finding.Invalid {
			marked++
		} else {
			counted += w.Completed
		}
	}
	p := Proof{Detail: fmt.Sprintf("a generator was stopped for %v: %d of %d seconds are marked invalid and left out", pause.Round(time.Millisecond), marked, len(a.Windows))}
	p.Passed = window < len(a.Windows) && counted == a.Completed && slices.ContainsFunc(a.Windows[window].Findings, func(f finding.Finding) bool {
		return f.Name == finding.GeneratorStalled && f.Validity == finding.Invalid
	})
	return p
}
