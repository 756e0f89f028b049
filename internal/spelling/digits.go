package spelling

import (
	"math"
	"strconv"
)

// Digits writes x with so many significant digits, and never with an exponent:
// "308000", not "3.08e+05". NaN and infinities are written as strconv does.
func Digits(x float64, digits int) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		rounded = x
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Percent writes a share as a percentage with so many significant digits. Beyond 1000 %
// it writes just that, as the number would mean nothing.
func Percent(share float64, digits int) string {
	if most := 10.0; math.Abs(share) > most {
		return map[bool]string{true: ">1000", false: "<-1000"}[share > 0]
	}
	return Digits(100*share, digits)
}
