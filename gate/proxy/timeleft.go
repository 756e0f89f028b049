//go:build linux

package proxy

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"dyno/gate/config"
	"dyno/gate/request"
)

// longestAsked bounds the time that a client may ask for: more is none.
const longestAsked = 24 * time.Hour

// timeLimit is how long a request may take: what its route says, or less, if the client
// has less time.
func (l *loop) timeLimit(x *exchange, r *request.Request) (d time.Duration) {
	d = x.route.Config.Timeout
	rules := x.route.Config.Deadline
	if rules == nil {
		return d
	}
	value, said := r.Header(rules.Header)
	r.Drop(rules.Header) // it is told anew
	if !said {
		return d
	}
	if asked, ok := parseTime(value, rules.Unit); ok && asked < longestAsked && (d == 0 || asked < d) {
		return max(asked, 1)
	}
	return d
}

// parseTime reads a time as a field has it. What can't be read is no time.
func parseTime(b []byte, unit config.TimeUnit) (d time.Duration, ok bool) {
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
	if !ok || n > int64(longestAsked/time.Second) || dotted && (len(fraction) == 0 || len(fraction) > 9) {
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
	if len(b) == 0 || len(b) > 12 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// appendTimeLeft appends the field that says how much time the upstream has. It is the
// last one of a head, where the next try finds it.
func appendTimeLeft(dst []byte, rules *config.Deadline, left time.Duration) []byte {
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

// timeLeft is how much time an upstream has for a try: what is left for the request, or
// what one try may take.
func (l *loop) timeLeft(x *exchange) (left time.Duration, limited bool) {
	left = x.route.Config.Retry.Timeout
	if whole := time.Duration(x.deadline - l.now); x.deadline != 0 && (left == 0 || whole < left) {
		return whole, true
	}
	return left, left > 0
}

// retime writes how much time is left into a head that is sent once more.
func (l *loop) retime(x *exchange) {
	rules := x.route.Config.Deadline
	if rules == nil {
		return
	}
	left, limited := l.timeLeft(x)
	if !limited {
		return
	}
	end := len(x.head) - len("\r\n\r\n")
	at := bytes.LastIndex(x.head[:end], []byte("\r\n")) + len("\r\n")
	x.head = append(appendTimeLeft(x.head[:at], rules, left), "\r\n"...)
}

// soonWhole notes when a request as a whole is over. Clients ask for any time, and each
// length would be a queue: they wait for a power of two of milliseconds at a time.
func (l *loop) soonWhole(c *client) {
	left := time.Duration(c.x.deadline - l.now)
	if left > soonest {
		return // the wheel has it; it is late by less than a tenth of that
	}
	step := time.Millisecond
	for step*2 <= left {
		step *= 2
	}
	l.soon(c, step, wholeOver)
}
