package i18n

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// figure is a number as messages write it: by a verb such as %.3g it is 12300 where fmt has 1.23e+04, as people read it.
type figure float64

// mostDigits is of how many digits a number is that nobody reads: it has an exponent.
const mostDigits = 15

func (x figure) Format(to fmt.State, verb rune) {
	if digits, ok := to.Precision(); ok && verb == 'g' {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', max(digits-1, 0), 64), 64)
		if size := math.Abs(rounded); size >= math.Pow10(digits) && size < math.Pow10(mostDigits) {
			if to.Flag('+') && rounded > 0 {
				io.WriteString(to, "+")
			}
			io.WriteString(to, strconv.FormatFloat(rounded, 'f', 0, 64))
			return
		}
	}
	fmt.Fprintf(to, fmt.FormatString(to, verb), float64(x))
}
