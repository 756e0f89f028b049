package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/internal/i18n"
)

// seconds is a length of time as a flag's value: "1m30s", or "10" for ten seconds
// as ab, wrk and curl have it.
type seconds struct{ to *time.Duration }

// DurationVar registers a flag for a length of time.
func DurationVar(flags *pflag.FlagSet, to *time.Duration, name, short string, value time.Duration, usage string) {
	*to = value
	flags.VarP(seconds{to}, name, short, usage)
}

func (seconds) Type() string { return "duration" }

func (v seconds) String() string {
	if v.to == nil || *v.to == 0 {
		return "0"
	}
	return v.to.String()
}

func (v seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, plain := strconv.ParseFloat(text, 64); plain == nil {
		err = nil
		if d = time.Duration(n * float64(time.Second)); !(math.Abs(n) < float64(math.MaxInt64)/float64(time.Second)) {
			err = i18n.Errorf("cli.too-long", "too long")
		}
	}
	if err != nil {
		return i18n.Errorf("cli.duration-form", "write a time as 30s, 1m30s, 250ms, or 10 for ten seconds")
	}
	*v.to = d
	return nil
}

// rateValue is a rate as a flag's value: "5000", "5k", "1.5k/s", "300/m".
type rateValue struct{ to *float64 }

// RateVar registers a flag for a rate, in requests per second.
func RateVar(flags *pflag.FlagSet, to *float64, name, short string, usage string) {
	flags.VarP(rateValue{to}, name, short, usage)
}

func (rateValue) Type() string { return "rate" }

func (v rateValue) String() string {
	if v.to == nil {
		return "0"
	}
	return strconv.FormatFloat(*v.to, 'f', -1, 64)
}

func (v rateValue) Set(text string) error {
	x, err := ParseRate(text)
	if err == nil {
		*v.to = x
	}
	return err
}

// ParseRate reads requests per second as "5000", "5k", "1.5k/s" or "300/m".
func ParseRate(text string) (float64, error) {
	number, per, divided := strings.Cut(text, "/")
	seconds := map[string]float64{"": 1, "s": 1, "1s": 1, "m": 60, "1m": 60, "h": 3600, "1h": 3600}[per]
	x, err := parseMultiple(number)
	if err != nil || seconds == 0 || divided && per == "" || math.IsNaN(x) {
		return 0, i18n.Errorf("cli.rate-form", "write requests per second as 5000, 5k, 1.5k/s, or 300/m for those of a minute")
	}
	return x / seconds, nil
}

// countValue is a number of things as a flag's value: "10000", "10k", "2M".
type countValue struct{ to *uint64 }

// CountVar registers a flag for a number of things.
func CountVar(flags *pflag.FlagSet, to *uint64, name, short string, usage string) {
	flags.VarP(countValue{to}, name, short, usage)
}

func (countValue) Type() string { return "count" }

func (v countValue) String() string {
	if v.to == nil {
		return "0"
	}
	return strconv.FormatUint(*v.to, 10)
}

func (v countValue) Set(text string) error {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		*v.to = n
		return nil
	}
	x, err := parseMultiple(text)
	if err != nil || x < 0 || x > 1e18 || x != math.Trunc(x) {
		return i18n.Errorf("cli.count-form", "write a whole number as 10000, 10k or 2M")
	}
	*v.to = uint64(x)
	return nil
}

// parseMultiple reads a number that may end in k or M, for thousands and millions.
func parseMultiple(text string) (float64, error) {
	factor := 1.0
	switch {
	case strings.HasSuffix(text, "k") || strings.HasSuffix(text, "K"):
		factor = 1e3
	case strings.HasSuffix(text, "M"):
		factor = 1e6
	}
	if factor > 1 {
		text = text[:len(text)-1]
	}
	x, err := strconv.ParseFloat(text, 64)
	return x * factor, err
}

// wrongValue rewrites the error of a flag's value for people: parsers of the
// standard library name themselves.
func wrongValue(err *pflag.InvalidValueError) error {
	flag := err.GetFlag()
	name := "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand + ", " + name
	}
	why := errors.Unwrap(err)
	switch flag.Value.Type() {
	case "int", "uint64", "uint":
		why = i18n.Errorf("cli.write-whole-number", "write a whole number")
	case "float64":
		why = i18n.Errorf("cli.write-number", "write a number")
	case "duration":
		if _, ours := flag.Value.(seconds); !ours {
			why = i18n.Errorf("cli.duration-unit-form", "write a time with its unit, as 30s, 1m30s or 250ms")
		}
	}
	return fmt.Errorf("%s %q: %w", name, err.GetValue(), why)
}

// ParseShare reads "1%" or "0.01".
func ParseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, i18n.Errorf("cli.expected-share", "must be a share such as 1%% or 0.01")
	}
	return share, nil
}
