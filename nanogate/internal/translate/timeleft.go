package translate

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
)

// longestTime bounds what is read as seconds.
const longestTime = 24 * time.Hour

// ParseTime reads a time as a field has it. What can't be read is no time.
func ParseTime(b []byte, unit config.TimeUnit) (d time.Duration, ok bool) {
	each := time.Millisecond
	switch {
	case len(b) == 0:
		return 0, false
	case unit == config.GRPC:
		// 1*8DIGIT and a unit, by gRPC over HTTP/2.
		last := b[len(b)-1]
		if b = b[:len(b)-1]; len(b) > 8 {
			return 0, false
		}
		switch last {
		case 'H':
			each = time.Hour
		case 'M':
			each = time.Minute
		case 'S':
			each = time.Second
		case 'm':
		case 'u':
			each = time.Microsecond
		case 'n':
			each = time.Nanosecond
		default:
			return 0, false
		}
	case unit == config.Seconds:
		return parseSeconds(b)
	}
	n, ok := digits(b)
	if !ok || n > math.MaxInt64/int64(each) {
		return 0, false
	}
	return time.Duration(n) * each, true
}

// parseSeconds reads seconds with a fraction.
func parseSeconds(b []byte) (d time.Duration, ok bool) {
	whole, fraction, dotted := bytes.Cut(b, []byte("."))
	n, ok := digits(whole)
	if !ok || n > int64(longestTime/time.Second) || dotted && (len(fraction) == 0 || len(fraction) > 9) {
		return 0, false
	}
	d = time.Duration(n) * time.Second
	each := time.Second
	for _, c := range fraction {
		if c < '0' || c > '9' {
			return 0, false
		}
		each /= 10
		d += time.Duration(c-'0') * each
	}
	return d, true
}

// digits reads a number of digits only, of some length at most.
func digits(b []byte) (n int64, ok bool) {
	if len(b) > 12 {
		return 0, false
	}
	return http1.ParseLength(b)
}

// AppendTimeLeft appends the field that says how much time the upstream has. It is the
// last one of a head, where the next try finds it.
func AppendTimeLeft(dst []byte, rules *config.Deadline, left time.Duration) []byte {
	dst = append(append(dst, rules.Header...), ": "...)
	ms := max(1, int64(left/time.Millisecond))
	switch rules.Unit {
	case config.Seconds:
		dst = strconv.AppendFloat(dst, float64(ms)/1000, 'f', -1, 64)
	case config.GRPC:
		if ms > 99_999_999 {
			dst = append(strconv.AppendInt(dst, ms/1000, 10), 'S')
		} else {
			dst = append(strconv.AppendInt(dst, ms, 10), 'm')
		}
	default:
		dst = strconv.AppendInt(dst, ms, 10)
	}
	return append(dst, "\r\n"...)
}
