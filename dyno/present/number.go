package present

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Connections is a number of them in words.
func Connections(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("count.connection", "%d connection", n), i18n.New("count.connections", "%d connections", n))
}

// Streams is a number of them in words.
func Streams(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("count.stream", "%d stream", n), i18n.New("count.streams", "%d streams", n))
}

// Duration formats nanoseconds with three digits and a unit.
func Duration(ns float64) string {
	switch {
	case ns >= 999.5e6:
		return fmt.Sprintf("%.3gs", ns/1e9)
	case ns >= 999.5e3:
		return fmt.Sprintf("%.3gms", ns/1e6)
	}
	return fmt.Sprintf("%.0fµs", ns/1e3)
}

// Micros is a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d) / 1e3 }

// Number formats with thousands separators.
func Number(x float64) string {
	digits := fmt.Sprintf("%.0f", x)
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return strings.Join(groups, ",")
}

// Bytes formats a number of bytes in units of 1024.
func Bytes(n uint64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	x, i := float64(n)/unit, 0
	for ; x >= unit && i < 3; i++ {
		x /= unit
	}
	return fmt.Sprintf("%.1f %s", x, [...]string{"KiB", "MiB", "GiB", "TiB"}[i])
}

// Roughly rounds a duration as a person would say it.
func Roughly(d time.Duration) string {
	if d > 10*time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(time.Second).String()
}

// Exact writes short durations to a tenth of a microsecond.
func Exact(d time.Duration) string {
	if d < 10*time.Microsecond {
		return fmt.Sprintf("%.1fµs", Micros(d))
	}
	return Duration(float64(d))
}

// Share formats a share as a percentage with up to four digits.
func Share(share float64) string {
	return strconv.FormatFloat(100*share, 'g', 4, 64) + " %"
}
