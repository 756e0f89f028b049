package profile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Shape says how the rate moves within a phase.
type Shape string

const (
	Constant Shape = "constant" // one rate
	Steps    Shape = "steps"    // several rates, each for the same time
	Ramp     Shape = "ramp"     // from one rate to another in a straight line
	Spike    Shape = "spike"    // a base rate with one sudden peak in it
	// Soak is one rate held for long, with an optional slow rise to it. It shows what
	// changes over hours, so dyno load keeps the counts of each second but not its
	// histograms, which would fill the memory.
	Soak  Shape = "soak"
	Sine  Shape = "sine"  // around a mean, as day and night do
	Trace Shape = "trace" // at recorded times
)

// Shapes are all shapes, in the order they are explained.
func Shapes() []Shape { return []Shape{Constant, Steps, Ramp, Spike, Soak, Sine, Trace} }

// Phase is a stretch of an open loop with a shape of its own. Rates are in
// requests per second. Fields that its shape doesn't use must be zero.
type Phase struct {
	Shape    Shape         `json:"shape"`
	Duration time.Duration `json:"duration"`           // ns; above 0
	Arrivals Arrivals      `json:"arrivals,omitempty"` // default the profile's; a trace has its own

	Rate  float64   `json:"rate,omitempty"`  // constant, soak; base of a spike; mean of a sine
	Rates []float64 `json:"rates,omitempty"` // steps; each lasts Duration/len(Rates)
	From  float64   `json:"from,omitempty"`  // ramp
	To    float64   `json:"to,omitempty"`    // ramp

	Peak float64       `json:"peak,omitempty"` // spike
	At   time.Duration `json:"at,omitempty"`   // spike: when the peak begins, from the start of the phase
	Hold time.Duration `json:"hold,omitempty"` // spike: how long the peak lasts

	Rise time.Duration `json:"rise,omitempty"` // soak: how long the rate takes to rise from 0

	Amplitude float64       `json:"amplitude,omitempty"` // sine; at most Rate
	Period    time.Duration `json:"period,omitempty"`    // sine
	Angle     float64       `json:"angle,omitempty"`     // sine: where in the period it begins, in degrees; 0 is the mean, rising

	Trace *TraceFile `json:"trace,omitempty"`
	Loop  bool       `json:"loop,omitempty"` // trace: begin again at its end
}

// maxSteps bounds the rates of one phase of steps.
const maxSteps = 1000

// Check reports what is wrong with the phase, or nil.
func (ph *Phase) Check() error {
	if !slices.Contains(Shapes(), ph.Shape) {
		return i18n.Errorf("profile.shape-unknown", "there is no shape %q", ph.Shape)
	}
	if ph.Duration <= 0 || ph.Duration > MaxLength {
		return i18n.Errorf("profile.bad-duration", "the duration must be above 0 and at most %v, not %v", ShortDuration(MaxLength), ph.Duration)
	}
	if err := ph.Arrivals.check(); err != nil {
		return err
	}
	for _, rate := range append([]float64{ph.Rate, ph.From, ph.To, ph.Peak, ph.Amplitude}, ph.Rates...) {
		if !isRate(rate) {
			return i18n.Errorf("profile.rate-out-of-range", "rates must be from 0 to 10 million requests/s, not %v", rate)
		}
	}
	if field := ph.stray(); field != "" {
		return i18n.Errorf("profile.shape-has-no-field", "a phase of shape %s has no %s", ph.Shape, field)
	}
	return ph.checkShape()
}

// checkShape holds the phase to the rules of its shape.
func (ph *Phase) checkShape() error {
	switch ph.Shape {
	case Steps:
		if n := len(ph.Rates); n < 1 || n > maxSteps || ph.Duration < time.Duration(n) {
			return i18n.Errorf("profile.bad-steps", "steps must be from 1 to %d rates, not %d", maxSteps, n)
		}
	case Spike:
		if ph.At < 0 || ph.Hold <= 0 || ph.At > ph.Duration || ph.Hold > ph.Duration-ph.At {
			return i18n.Errorf("profile.peak-outside-phase", "the peak, for %v at %v, must lie within the %v of the phase", ShortDuration(ph.Hold), ShortDuration(ph.At), ShortDuration(ph.Duration))
		}
	case Soak:
		if ph.Rise < 0 || ph.Rise > ph.Duration {
			return i18n.Errorf("profile.bad-rise", "the rise must be from 0 to the phase's duration %v, not %v", ShortDuration(ph.Duration), ph.Rise)
		}
	case Sine:
		if ph.Amplitude > ph.Rate {
			return i18n.Errorf("profile.amplitude-above-mean", "the amplitude %v is above the mean %v: the rate would fall below 0", ph.Amplitude, ph.Rate)
		}
		if ph.Period <= 0 || ph.Period > MaxLength {
			return i18n.Errorf("profile.bad-period", "the period must be above 0 and at most %v, not %v", ShortDuration(MaxLength), ph.Period)
		}
		if !(ph.Angle >= 0 && ph.Angle < 360) {
			return i18n.Errorf("profile.bad-angle", "the angle must be from 0 to below 360 degrees, not %v", ph.Angle)
		}
	case Trace:
		if ph.Trace == nil || len(ph.Trace.times) == 0 {
			return i18n.Errorf("profile.trace-unread", "the trace has not been read")
		}
	}
	return nil
}

// stray names a field that is set and that the shape doesn't use; "" if there is
// none.
func (ph *Phase) stray() string {
	rest := *ph
	rest.Shape, rest.Duration, rest.Arrivals = "", 0, ""
	switch ph.Shape {
	case Constant:
		rest.Rate = 0
	case Steps:
		rest.Rates = nil
	case Ramp:
		rest.From, rest.To = 0, 0
	case Spike:
		rest.Rate, rest.Peak, rest.At, rest.Hold = 0, 0, 0, 0
	case Soak:
		rest.Rate, rest.Rise = 0, 0
	case Sine:
		rest.Rate, rest.Amplitude, rest.Period, rest.Angle = 0, 0, 0, 0
	case Trace:
		rest.Arrivals, rest.Trace, rest.Loop = ph.Arrivals, nil, false
	}
	return rest.firstSet()
}

// firstSet names the first field that is not zero, as files call it.
func (ph *Phase) firstSet() string {
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"arrivals", ph.Arrivals != ""}, {"rate", ph.Rate != 0}, {"rates", len(ph.Rates) > 0}, {"from", ph.From != 0}, {"to", ph.To != 0},
		{"peak", ph.Peak != 0}, {"at", ph.At != 0}, {"hold", ph.Hold != 0}, {"rise", ph.Rise != 0}, {"amplitude", ph.Amplitude != 0},
		{"period", ph.Period != 0}, {"angle", ph.Angle != 0}, {"trace", ph.Trace != nil}, {"loop", ph.Loop},
	} {
		if field.set {
			return field.name
		}
	}
	return ""
}

// each is how long one of the steps lasts.
func (ph *Phase) each() time.Duration { return ph.Duration / time.Duration(max(len(ph.Rates), 1)) }

// top is the highest rate of the phase.
func (ph *Phase) top() float64 {
	switch ph.Shape {
	case Sine:
		return ph.Rate + ph.Amplitude
	case Trace:
		if t := ph.Trace; ph.Loop && t.Length > 0 && t.Length < time.Second {
			return float64(t.Count) / t.Length.Seconds()
		}
		return ph.Trace.busiest()
	}
	return max(ph.Rate, ph.From, ph.To, ph.Peak, slices.Max(append(ph.Rates, 0)))
}

// String writes the phase as [ParsePhase] reads it.
func (ph *Phase) String() string {
	words := []string{string(ph.Shape)}
	add := func(text ...string) { words = append(words, text...) }
	switch ph.Shape {
	case Steps:
		rates := make([]string, len(ph.Rates))
		for i, rate := range ph.Rates {
			rates[i] = plain(rate)
		}
		add(strings.Join(rates, ","), ShortDuration(ph.each()))
	case Ramp:
		add(plain(ph.From)+".."+plain(ph.To), ShortDuration(ph.Duration))
	case Spike:
		add(plain(ph.Rate), plain(ph.Peak), "for", ShortDuration(ph.Hold), "at", ShortDuration(ph.At), ShortDuration(ph.Duration))
	case Soak:
		add(plain(ph.Rate))
		if ph.Rise > 0 {
			add("rise", ShortDuration(ph.Rise))
		}
		add(ShortDuration(ph.Duration))
	case Sine:
		add(plain(ph.Rate)+"~"+plain(ph.Amplitude), "every", ShortDuration(ph.Period))
		if ph.Angle != 0 {
			add("angle", plain(ph.Angle))
		}
		add(ShortDuration(ph.Duration))
	case Trace:
		add(word(ph.Trace.File))
		if ph.Loop {
			add("loop")
		}
		if ph.Duration > 0 {
			add(ShortDuration(ph.Duration))
		}
	default:
		add(plain(ph.Rate), ShortDuration(ph.Duration))
	}
	if ph.Arrivals != "" {
		add(string(ph.Arrivals))
	}
	return strings.Join(words, " ")
}

// plain writes x without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// ShortDuration writes d without the zeros at its end: 10m, not 10m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, unit) {
			text = text[:len(text)-2]
		}
	}
	return text
}
