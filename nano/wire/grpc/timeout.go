package grpc

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// maxTimeout is the largest number that a timeout may have: 8 digits.
const maxTimeout = 99_999_999

// timeoutUnits are the units of timeouts, the finest first.
var timeoutUnits = [...]struct {
	letter byte
	unit   time.Duration
}{{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond}, {'S', time.Second}, {'M', time.Minute}, {'H', time.Hour}}

// ParseTimeout reads a grpc-timeout: one to eight digits and a unit ("Requests"). One
// that a Duration can't hold becomes the longest Duration.
func ParseTimeout(text []byte) (time.Duration, error) {
	if n := len(text); n >= 2 && n <= 9 {
		for _, u := range timeoutUnits {
			if u.letter != text[n-1] {
				continue
			}
			value := int64(0)
			for _, c := range text[:n-1] {
				if c < '0' || c > '9' {
					return 0, badTimeout(text)
				}
				value = 10*value + int64(c-'0')
			}
			if value > math.MaxInt64/int64(u.unit) {
				return math.MaxInt64, nil
			}
			return time.Duration(value) * u.unit, nil
		}
	}
	return 0, badTimeout(text)
}

func badTimeout(text []byte) error {
	return fmt.Errorf("grpc: grpc-timeout %q is not one to eight digits and one of n, u, m, S, M, H", text)
}

// AppendTimeout appends d in the finest unit that has room for it, rounded up: the
// peer must not give up before this side does. d <= 0 is sent as 0.
func AppendTimeout(b []byte, d time.Duration) []byte {
	d = max(d, 0)
	for _, u := range timeoutUnits {
		n := int64(d / u.unit)
		if d%u.unit > 0 {
			n++
		}
		if n <= maxTimeout {
			return append(strconv.AppendInt(b, n, 10), u.letter)
		}
	}
	return append(strconv.AppendInt(b, maxTimeout, 10), 'H')
}
