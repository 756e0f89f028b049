package published

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dyno.example/dyno/claim"
)

// digits is how many significant digits a figure has.
const digits = 3

// effect writes a figure with its interval and what it is held to: "0.41×
// (0.40–0.42), claimed ≤ 0.6×".
func effect(p *claim.Part) string {
	return measured(p) + ", claimed " + claimed(p.Effect)
}

// measured writes a figure with its interval, open where the levels measured do not
// reach.
func measured(p *claim.Part) string {
	e := p.Effect
	by, unit := scale(e.Unit, e.Interval.Estimate)
	text := number(e.Interval.Estimate/by) + unit
	if e.Interval.N < 2 {
		return text
	}
	low, high := number(e.Interval.Low/by), number(e.Interval.High/by)
	switch {
	case p.HeldToFailed():
		return text + " (the other failed in all blocks)"
	case e.Below && e.Above:
		return "unknown"
	case e.Below:
		return "at most " + high + unit
	case e.Above:
		return "at least " + low + unit
	}
	return text + " (" + low + "–" + high + ")"
}

// signs of what is claimed.
var signs = map[claim.Op]string{claim.LessEq: "≤", claim.GreaterEq: "≥"}

func claimed(e *claim.Effect) string {
	if e.Op == claim.Between {
		by, unit := scale(e.Unit, e.Bound)
		low, high := e.Bound*(1-e.Tolerance)/by, e.Bound*(1+e.Tolerance)/by
		return number(low) + " to " + number(high) + unit
	}
	by, unit := scale(e.Unit, e.Bound)
	sign, ok := signs[e.Op]
	if !ok {
		sign = string(e.Op)
	}
	text := sign + " " + number(e.Bound/by) + unit
	if e.Op == claim.About {
		text += fmt.Sprintf(" ± %s %%", number(100*e.Tolerance))
	}
	return text
}

// scale picks what a figure of the size of x is divided by, and the unit it has
// then.
func scale(unit string, x float64) (by float64, suffix string) {
	x = math.Abs(x)
	switch {
	case unit == "µs" && x >= 1e6:
		return 1e6, " s"
	case unit == "µs" && x >= 1e3:
		return 1e3, " ms"
	case unit == "bytes" && x >= 1<<20:
		return 1 << 20, " MiB"
	case unit == "bytes" && x >= 1<<10:
		return 1 << 10, " KiB"
	case unit == "×" || unit == "":
		return 1, unit
	}
	return 1, " " + unit
}

// number writes x with at least [digits] digits and no exponent.
func number(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(math.Abs(x)))))
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
