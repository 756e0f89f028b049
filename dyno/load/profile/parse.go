package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// grammar is how each shape is written on the command line, with an example.
// Every phase may end in "uniform" or "poisson".
var grammar = map[Shape]struct{ form, example string }{
	Constant: {"constant RATE DURATION", "constant 5000 1m"},
	Steps:    {"steps RATE,RATE,… EACH, or steps FROM..TO+BY EACH", "steps 1000..10000+1000 10s"},
	Ramp:     {"ramp FROM..TO DURATION", "ramp 100..5000 30s"},
	Spike:    {"spike BASE PEAK for HOLD at WHEN DURATION", "spike 1000 9000 for 5s at 20s 60s"},
	Soak:     {"soak RATE [rise TIME] DURATION", "soak 500 rise 5m 8h"},
	Sine:     {"sine MEAN~AMPLITUDE every PERIOD [angle DEGREES] DURATION", "sine 1000~500 every 20s 2m"},
	Trace:    {"trace FILE [loop] [DURATION]", "trace times.txt"},
}

// Example returns a phase of the shape as [ParsePhase] reads it.
func (s Shape) Example() string { return grammar[s].example }

// Form returns how phases of the shape are written for [ParsePhase].
func (s Shape) Form() string { return grammar[s].form }

// ParsePhase reads a phase such as "ramp 100..5000 30s"; see [Shape.Form]. Names
// of files with spaces are put in double quotes. It reads no file: the times of a
// trace, and its duration if none is given, come with [Phase.Open]. Errors say how
// to write it.
func ParsePhase(text string) (Phase, error) {
	words, err := split(text)
	if err != nil {
		return Phase{}, err
	}
	if len(words) == 0 {
		return Phase{}, i18n.Errorf("profile.phase-empty", "the phase is empty; write it as %q or the like", Constant.Example())
	}
	ph := Phase{Shape: Shape(words[0])}
	if !slices.Contains(Shapes(), ph.Shape) {
		return Phase{}, unknownShape(words[0])
	}
	if err = ph.parse(words[1:]); err == nil && ph.Shape != Trace {
		err = ph.Check()
	}
	if err != nil {
		return Phase{}, i18n.Errorf("profile.write", "%w; write it as %s, such as %q", err, ph.Shape.Form(), ph.Shape.Example())
	}
	return ph, nil
}

func unknownShape(word string) error {
	var names []string
	for _, s := range Shapes() {
		names = append(names, string(s))
	}
	hint := i18n.New("profile.there-are", "; there are %s", i18n.Names(names...))
	if name, ok := spelling.Nearest(word, names); ok {
		hint = i18n.New("profile.did-you-mean", "; did you mean %s?", name)
	}
	return i18n.Errorf("profile.shape-misspelt", "there is no shape %q%s", cutText(word), hint)
}

// parse reads what follows the shape.
func (ph *Phase) parse(words []string) error {
	if n := len(words); n > 0 && (words[n-1] == string(Uniform) || words[n-1] == string(Poisson)) {
		ph.Arrivals, words = Arrivals(words[n-1]), words[:n-1]
	}
	if ph.Shape == Trace {
		return ph.parseTrace(words)
	}
	if len(words) < 2 {
		return i18n.Errorf("profile.word-missing", "something is missing")
	}
	last := len(words) - 1
	var err error
	if ph.Duration, err = parseTime(words[last]); err != nil {
		return i18n.Errorf("profile.duration-goes-last", "the last word is the duration: %w", err)
	}
	return ph.parseRates(words[0], words[1:last])
}

// parseRates reads what stands between shape and duration.
func (ph *Phase) parseRates(first string, rest []string) (err error) {
	switch ph.Shape {
	case Constant:
		ph.Rate, err = parseRate(first)
		return cmp.Or(err, options(rest, nil))
	case Ramp:
		ph.From, ph.To, err = parsePair(first, "..")
		return cmp.Or(err, options(rest, nil))
	case Steps:
		ph.Rates, err = parseSteps(first)
		ph.Duration *= time.Duration(len(ph.Rates))
		return cmp.Or(err, options(rest, nil))
	case Sine:
		if ph.Rate, ph.Amplitude, err = parsePair(first, "~"); err != nil {
			return err
		}
		return options(rest, map[string]func(string) error{"every": timeInto(&ph.Period), "angle": numberInto(&ph.Angle)})
	case Soak:
		if ph.Rate, err = parseRate(first); err != nil {
			return err
		}
		return options(rest, map[string]func(string) error{"rise": timeInto(&ph.Rise)})
	}
	if len(rest) == 0 {
		return i18n.Errorf("profile.peak-missing", "the peak is missing")
	}
	if ph.Rate, err = parseRate(first); err != nil {
		return err
	}
	if ph.Peak, err = parseRate(rest[0]); err != nil {
		return err
	}
	return options(rest[1:], map[string]func(string) error{"for": timeInto(&ph.Hold), "at": timeInto(&ph.At)})
}

func (ph *Phase) parseTrace(words []string) (err error) {
	if n := len(words); n > 1 && words[n-1] != "loop" {
		if ph.Duration, err = parseTime(words[n-1]); err != nil {
			return err
		}
		if ph.Duration <= 0 {
			return i18n.Errorf("profile.zero-duration", "the duration must be above 0, not %v", ph.Duration)
		}
		words = words[:n-1]
	}
	if n := len(words); n > 1 && words[n-1] == "loop" {
		ph.Loop, words = true, words[:n-1]
	}
	switch {
	case len(words) == 0 || words[0] == "":
		return i18n.Errorf("profile.file-missing", "the file is missing")
	case len(words) > 1:
		return i18n.Errorf("profile.unexpected-word", "unexpected word %q", cutText(words[1]))
	case ph.Loop && ph.Duration == 0:
		return i18n.Errorf("profile.loop-needs-duration", "a trace that loops needs a duration")
	case ph.Arrivals != "":
		return i18n.Errorf("profile.trace-own-arrivals", "a trace has its own arrivals")
	}
	ph.Trace = &TraceFile{File: words[0]}
	return nil
}

// Open reads the file of a trace, whose path starts at that of path(name). It
// does nothing for other shapes.
func (ph *Phase) Open(path func(name string) string) error {
	if ph.Shape != Trace || ph.Trace == nil {
		return nil
	}
	t, err := OpenTrace(path(ph.Trace.File), ph.Trace.File)
	if err != nil {
		return err
	}
	ph.Trace = t
	if ph.Duration == 0 {
		ph.Duration = t.Length
	}
	return ph.Check()
}

// options reads pairs of keyword and value, each at most once.
func options(words []string, known map[string]func(string) error) error {
	seen := make(map[string]bool)
	for i := 0; i < len(words); i += 2 {
		read, ok := known[words[i]]
		switch {
		case !ok:
			return i18n.Errorf("profile.unexpected-word", "unexpected word %q", cutText(words[i]))
		case seen[words[i]]:
			return i18n.Errorf("profile.given-twice", "%q is given twice", words[i])
		case i+1 == len(words):
			return i18n.Errorf("profile.value-missing", "the value of %q is missing", words[i])
		}
		if err := read(words[i+1]); err != nil {
			return fmt.Errorf("%s: %w", words[i], err)
		}
		seen[words[i]] = true
	}
	return nil
}

func timeInto(d *time.Duration) func(string) error {
	return func(text string) (err error) {
		*d, err = parseTime(text)
		return err
	}
}

func numberInto(x *float64) func(string) error {
	return func(text string) (err error) {
		*x, err = parseNumber(text)
		return err
	}
}

// parsePair reads two numbers with a mark between them.
func parsePair(text, mark string) (a, b float64, err error) {
	left, right, ok := strings.Cut(text, mark)
	if !ok {
		return 0, 0, i18n.Errorf("profile.expected-two-rates", "expected two rates with %s between them, got %q", mark, cutText(text))
	}
	a, errA := parseRate(left)
	b, errB := parseRate(right)
	if errA != nil {
		return 0, 0, errA
	}
	return a, b, errB
}

// parseSteps reads a list of rates, or from..to+by.
func parseSteps(text string) ([]float64, error) {
	if left, right, ok := strings.Cut(text, ".."); ok {
		to, by, ok := strings.Cut(right, "+")
		if !ok {
			return nil, i18n.Errorf("profile.expected-steps", "expected FROM..TO+BY, got %q", cutText(text))
		}
		var x [3]float64
		for i, part := range []string{left, to, by} {
			var err error
			if x[i], err = parseRate(part); err != nil {
				return nil, err
			}
		}
		return StepsBetween(x[0], x[1], x[2])
	}
	var rates []float64
	for part := range strings.SplitSeq(text, ",") {
		if len(rates) == maxSteps {
			return nil, i18n.Errorf("profile.more-steps", "more than %d steps", maxSteps)
		}
		rate, err := parseRate(part)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// StepsBetween returns the rates from one to another, up or down, in strides of by,
// which is above 0. The last is to only if the strides meet it.
func StepsBetween(from, to, by float64) ([]float64, error) {
	if !(by > 0) {
		return nil, i18n.Errorf("profile.stride-missing", "steps from..to need a stride above 0")
	}
	if from > to {
		by = -by
	}
	const meets = 1e-9 // of a stride, for strides such as 0.1
	n := (to-from)/by + meets
	if n >= maxSteps {
		return nil, i18n.Errorf("profile.too-many-steps", "more than %d steps; take a larger stride", maxSteps)
	}
	rates := make([]float64, int(n)+1)
	for i := range rates {
		rates[i] = math.Round(1e9*(from+float64(i)*by)) / 1e9 // 0.2, not 0.19999999999999998
	}
	return rates, nil
}

func parseRate(text string) (float64, error) {
	x, err := parseNumber(text)
	if err != nil || !isRate(x) {
		return 0, i18n.Errorf("profile.expected-rate", "expected a rate from 0 to 10000000 requests/s, got %q", cutText(text))
	}
	return x, nil
}

// parseNumber reads a decimal number.
func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, i18n.Errorf("profile.expected-number-got", "expected a number, got %q", cutText(text))
	}
	return x, nil
}

func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > MaxLength {
		return 0, i18n.Errorf("profile.expected-duration", "expected a time with its unit, such as 500ms, 30s or 2m, and at most %s, got %q", ShortDuration(MaxLength), cutText(text))
	}
	return d, nil
}

// split divides text at spaces, but not within double quotes.
func split(text string) ([]string, error) {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] != '"' {
			end := strings.IndexAny(text+" ", " \t")
			words, text = append(words, text[:end]), text[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, i18n.Errorf("profile.quote-without-end", "a quote without its end: %s", cutText(text))
		}
		unquoted, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, i18n.Errorf("profile.bad-quote", "a quote that can't be read: %s", cutText(text))
		}
		words, text = append(words, unquoted), text[len(quoted):]
	}
	return words, nil
}

// word is the opposite of split, for one word.
func word(text string) string {
	if text == "" || strings.ContainsAny(text, " \t\r\n\"") || strings.TrimSpace(text) != text || !strconv.CanBackquote(text) {
		return strconv.Quote(text)
	}
	return text
}
