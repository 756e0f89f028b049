package claim

import (
	"strings"

	"dyno.example/internal/i18n"
)

// dimension is what a figure measures: powers of time and of bytes. Counts,
// shares and requests have none, so a throughput is a rate per second, and
// throughput × CPU time per request a plain number of CPUs.
type dimension struct{ time, bytes int }

var (
	plain     = dimension{}
	duration  = dimension{time: 1}
	size      = dimension{bytes: 1}
	perSecond = dimension{time: -1}
)

func (d dimension) times(o dimension) dimension { return dimension{d.time + o.time, d.bytes + o.bytes} }
func (d dimension) over(o dimension) dimension  { return dimension{d.time - o.time, d.bytes - o.bytes} }

// Message says what a figure of the dimension is, as an error would.
func (d dimension) Message() i18n.Message {
	switch d {
	case plain:
		return i18n.New("claim.plain-number", "a plain number")
	case duration:
		return i18n.New("claim.time", "a time")
	case size:
		return i18n.New("claim.size-bytes", "a size in bytes")
	case perSecond:
		return i18n.New("claim.rate-per-second", "a rate per second")
	}
	return i18n.New("claim.product-of-dimensions", "a product of times and sizes")
}

// unit is what a number is written in: how many seconds, bytes or plain things
// one of it is.
type unit struct {
	scale float64
	dim   dimension
}

// counts distinguishes k and M, which stand for zeros, from units of measure.
func (u unit) counts() bool { return u.dim == plain && u.scale > 1 }

// unitNamed returns the unit that may follow a number.
func unitNamed(name string) (unit, bool) {
	switch name {
	case "ns":
		return unit{1e-9, duration}, true
	case "us", "\u00b5s", "\u03bcs": // micro sign and Greek mu
		return unit{1e-6, duration}, true
	case "ms":
		return unit{1e-3, duration}, true
	case "s":
		return unit{1, duration}, true
	case "B":
		return unit{1, size}, true
	case "KB", "kB":
		return unit{1e3, size}, true
	case "MB":
		return unit{1e6, size}, true
	case "GB":
		return unit{1e9, size}, true
	case "KiB":
		return unit{1 << 10, size}, true
	case "MiB":
		return unit{1 << 20, size}, true
	case "GiB":
		return unit{1 << 30, size}, true
	case "%":
		return unit{0.01, plain}, true
	case "k":
		return unit{1e3, plain}, true
	case "M":
		return unit{1e6, plain}, true
	}
	return unit{}, false
}

// unitOfMetric reads the unit of a metric, such as "µs/req", "req/s" or "bytes".
// Words it doesn't know count things, which have no dimension.
func unitOfMetric(written string) unit {
	top, below, _ := strings.Cut(written, "/")
	u := unit{1, plain}
	if named, ok := unitNamed(top); ok {
		u = named
	} else if top == "bytes" {
		u.dim = size
	}
	if below == "s" {
		u.dim = u.dim.over(duration)
	}
	return u
}

// shownAs is the unit an effect is shown in, and how many of it one of ours is. ratio:
// it is a ratio of like things; percent: it is a share.
func shownAs(d dimension, ratio, percent bool) (name string, scale float64) {
	switch {
	case d == duration:
		return "µs", 1e6
	case d == size:
		return "bytes", 1
	case d == perSecond:
		return "req/s", 1
	case d == plain && ratio:
		return "×", 1
	case d == plain && percent:
		return "%", 100
	}
	return "", 1
}

// magnitude reads a text as a number with its unit, such as a level.
func magnitude(text string) (value float64, dim dimension, ok bool) {
	s := scanner{src: strings.TrimSpace(text)}
	t := s.next()
	if t.kind != numeral || s.next().kind != end {
		return 0, plain, false
	}
	return t.value, t.dim, true
}
