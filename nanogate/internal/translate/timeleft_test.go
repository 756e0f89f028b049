package translate

import (
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
)

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		text string
		unit config.TimeUnit
		want time.Duration
		ok   bool
	}{
		{"150", config.Milliseconds, 150 * time.Millisecond, true},
		{"0", config.Milliseconds, 0, true},
		{"", config.Milliseconds, 0, false},
		{"-1", config.Milliseconds, 0, false},
		{"1.5", config.Milliseconds, 0, false},
		{"150ms", config.Milliseconds, 0, false},
		{"999999999999", config.Milliseconds, 999999999999 * time.Millisecond, true},
		{"9999999999999", config.Milliseconds, 0, false},
		{"2", config.Seconds, 2 * time.Second, true},
		{"0.25", config.Seconds, 250 * time.Millisecond, true},
		{"1.", config.Seconds, 0, false},
		{".5", config.Seconds, 0, false},
		{"1.2.3", config.Seconds, 0, false},
		{"999999999", config.Seconds, 0, false},
		{"0.1234567891", config.Seconds, 0, false},
		{"150m", config.GRPC, 150 * time.Millisecond, true},
		{"1H", config.GRPC, time.Hour, true},
		{"3M", config.GRPC, 3 * time.Minute, true},
		{"7S", config.GRPC, 7 * time.Second, true},
		{"99999999u", config.GRPC, 99999999 * time.Microsecond, true},
		{"5n", config.GRPC, 5, true},
		{"999999999n", config.GRPC, 0, false},
		{"150", config.GRPC, 0, false},
		{"m", config.GRPC, 0, false},
		{"99999999H", config.GRPC, 0, false},
	} {
		if d, ok := ParseTime([]byte(c.text), c.unit); d != c.want || ok != c.ok {
			t.Errorf("%q as %d: %v, %v, want %v, %v", c.text, c.unit, d, ok, c.want, c.ok)
		}
	}
}

// What is written is read as the same, less than a millisecond apart; whatever is read is
// a time that can be reckoned with.
func FuzzTime(f *testing.F) {
	f.Add("150", uint8(0))
	f.Add("0.25", uint8(1))
	f.Add("99999999m", uint8(2))
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		rules := &config.Deadline{Header: "x-time", Unit: config.TimeUnit(kind % 3)}
		d, ok := ParseTime([]byte(text), rules.Unit)
		if d < 0 || !ok && d != 0 {
			t.Fatalf("%q is %v, %v", text, d, ok)
		}
		if !ok || d >= longestTime || d < time.Millisecond {
			return
		}
		line := string(AppendTimeLeft(nil, rules, d))
		value, found := strings.CutPrefix(strings.TrimSuffix(line, "\r\n"), "x-time: ")
		again, ok := ParseTime([]byte(value), rules.Unit)
		if !found || !ok || again > d || d-again >= time.Second || rules.Unit != config.GRPC && d-again >= time.Millisecond {
			t.Fatalf("%v is written %q and read as %v, %v", d, line, again, ok)
		}
	})
}
