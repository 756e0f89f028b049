package objective

import (
	"fmt"
	"math"
	"strings"

	"dyno.example/internal/i18n"
)

// Digits a number may have, in all and after its point: enough for anything
// measured, and few enough that a float64 gives them back.
const (
	maxDigits   = 15
	maxDecimals = 6
)

// kind is what a figure is.
type kind int

const (
	duration kind = iota // in ns
	share                // from 0 to 1
	rate                 // per second
	count
)

// units are what a kind's limits may be written in, and how many of the kind's
// own unit they are.
var units = [...]map[string]float64{
	duration: {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9},
	share:    {"": 1, "%": 0.01},
	rate:     {"": 1, "/s": 1, "k": 1e3, "k/s": 1e3, "M": 1e6, "M/s": 1e6},
	count:    {"": 1, "k": 1e3, "M": 1e6},
}

// check says what is wrong with a limit for a figure of this kind, if anything.
func (k kind) check(l Limit) error {
	switch _, ok := units[k][l.Unit]; {
	case !ok && l.Unit == "":
		return i18n.Errorf("objective.unit-missing", "the unit is missing: it is %s", k.describe(l.Number))
	case !ok:
		return i18n.Errorf("objective.unit-mismatch", "%q is no unit of %s", clip(l.Unit), k.describe(l.Number))
	}
	if k == share && k.value(l) > 1 {
		return i18n.Errorf("objective.share-above-all", "a share is at most 100%%, not %s", l)
	}
	return nil
}

// describe says what the kind is and how it is written.
func (k kind) describe(x float64) string {
	number := decimal(x)
	switch k {
	case duration:
		return "a time; write " + number + " with ns, us, ms or s, as in " + number + "ms"
	case share:
		return "a share; write it as in 0.1% or 0.001"
	case rate:
		return "a rate; write it as in 4900/s or 4.9k/s"
	}
	return "a count; write it as in 4900 or 4.9k"
}

// value is the limit in the kind's own unit.
func (k kind) value(l Limit) float64 {
	if k == share && l.Unit == "%" {
		return l.Number / 100 // 0.1/100 is 0.001 to the last bit, 0.1*0.01 is not
	}
	return l.Number * units[k][l.Unit]
}

// text writes a figure for people, with up to four digits.
func (k kind) text(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "infinite"
	case k == duration:
		return durationText(x)
	case k == share:
		return digits(100*x) + "%"
	case k == rate:
		return digits(x) + "/s"
	}
	return digits(x)
}

func durationText(ns float64) string {
	switch {
	case ns >= 999.95e6:
		return digits(ns/1e9) + "s"
	case ns >= 999.95e3:
		return digits(ns/1e6) + "ms"
	case ns >= 1e3:
		return digits(ns/1e3) + "us"
	}
	return digits(ns) + "ns"
}

// digits writes x with four significant digits, and whole numbers in full.
func digits(x float64) string {
	if x == 0 {
		return "0"
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(math.Abs(x)))))
	text := fmt.Sprintf("%.*f", decimals, x)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}
