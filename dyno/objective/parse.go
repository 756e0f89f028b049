package objective

import (
	"math"
	"strings"
	"unicode/utf8"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Limits of an expression.
const (
	maxLength     = 1000 // bytes
	maxConditions = 20
)

// SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Expression string
	Column     int // of the character it is about, from 1
	Problem    i18n.Message
}

func (e *SyntaxError) Error() string { return e.Message().String() }

// Message implements [i18n.Messager].
func (e *SyntaxError) Message() i18n.Message {
	return i18n.New("objective.column", "%q: column %d: %s", e.Expression, e.Column, e.Problem)
}

// Parse reads an expression. Errors are of type [*SyntaxError].
//
//	objective = [ ("every window" | share "of windows") ":" ] condition { "," condition }
//	condition = metric ("<" | "<=" | ">" | ">=" | "==") number [unit]
//	metric    = [clock "."] (percentile | "mean" | "max" | "min" | "stddev")
//	          | "errors" ["." kind] | "throughput" | "sent" | "completed" | "shed" | "in_flight" | "cpu"
func Parse(expression string) (*Objective, error) {
	p := &parser{text: expression}
	if len(expression) > maxLength {
		return nil, p.problem(maxLength, i18n.New("objective.too-long", "longer than the %d bytes that are allowed", maxLength))
	}
	o := new(Objective)
	if err := p.windows(o); err != nil {
		return nil, err
	}
	for {
		c, err := p.condition()
		if err != nil {
			return nil, err
		}
		if len(o.Conditions) == maxConditions {
			return nil, p.problem(p.at, i18n.New("objective.more-conditions", "more than %d conditions", maxConditions))
		}
		o.Conditions = append(o.Conditions, c)
		if p.skipSpace(); p.at == len(p.text) {
			return o, nil
		}
		if !p.accept(",") {
			return nil, p.problem(p.at, i18n.New("objective.expected-comma", "expected a comma or the end, found %q", p.rest()))
		}
	}
}

// parser reads text from byte at on.
type parser struct {
	text string
	at   int
}

func (p *parser) problem(at int, detail i18n.Message) error {
	return &SyntaxError{Expression: clip(p.text), Column: utf8.RuneCountInString(p.text[:min(at, len(p.text))]) + 1, Problem: detail}
}

// clip keeps an error readable whatever was written.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\n') {
		p.at++
	}
}

// accept skips space and then word, if that is what follows.
func (p *parser) accept(word string) bool {
	p.skipSpace()
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

// rest is the beginning of what has not been read, for errors.
func (p *parser) rest() string {
	rest := p.text[p.at:]
	if i := strings.IndexAny(rest, " ,\t\n"); i > 0 {
		rest = rest[:i]
	}
	return clip(rest)
}

// take reads the longest run of bytes that ok likes.
func (p *parser) take(ok func(c byte) bool) string {
	start := p.at
	for p.at < len(p.text) && ok(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// windows reads what stands before a colon.
func (p *parser) windows(o *Objective) error {
	if !strings.Contains(p.text, ":") {
		return nil
	}
	if p.accept("every window") || p.accept("all windows") {
		o.Windows = 1
	} else {
		p.skipSpace()
		at := p.at
		percent := p.number()
		if math.IsNaN(percent) || !p.accept("%") || !p.accept("of windows") {
			return p.problem(at, i18n.New("objective.expected-windows", `expected "every window:" or "95%% of windows:" before the colon`))
		}
		if percent == 0 || percent > 100 {
			return p.problem(at, i18n.New("objective.bad-window-share", "a share of windows is above 0%% and at most 100%%, not %s%%", decimal(percent)))
		}
		o.Windows = percent / 100
	}
	if !p.accept(":") {
		return p.problem(p.at, i18n.New("objective.expected-colon-found", "expected a colon, found %q", p.rest()))
	}
	return nil
}

func (p *parser) condition() (Condition, error) {
	m, err := p.metric()
	if err != nil {
		return Condition{}, err
	}
	op, err := p.op()
	if err != nil {
		return Condition{}, err
	}
	p.skipSpace()
	at := p.at
	l := Limit{Number: p.number()}
	if math.IsNaN(l.Number) {
		p.at = at
		return Condition{}, p.problem(at, i18n.New("objective.number-too-long", "expected a number of at most %d digits, %d of them decimals, found %q", maxDigits, maxDecimals, p.rest()))
	}
	p.skipSpace()
	unitAt := p.at
	l.Unit = p.take(isUnit)
	if err := m.kind().check(l); err != nil {
		return Condition{}, p.problem(unitAt, i18n.Format("%s: %v", m, err))
	}
	return Condition{Metric: m, Op: op, Limit: l}, nil
}

func (p *parser) metric() (Metric, error) {
	p.skipSpace()
	at := p.at
	name := p.take(isName)
	m, ok := metricOf(name)
	switch {
	case ok:
		return m, nil
	case name == "" && p.at == len(p.text):
		return Metric{}, p.problem(at, i18n.New("objective.expected-metric", "expected a metric, such as p99, errors or throughput"))
	case name == "":
		return Metric{}, p.problem(at, i18n.New("objective.expected-metric-found", "expected a metric, found %q", p.rest()))
	}
	if meant, ok := spelling.Nearest(name, metricNames()); ok {
		return Metric{}, p.problem(at, i18n.New("threshold.unknown-metric-hint", "no metric %q; did you mean %s?", clip(name), meant))
	}
	return Metric{}, p.problem(at, i18n.New("objective.unknown-metric", "no metric %q; there are [clock.]p50 to p100, [clock.]mean, max, min, stddev, %s", clip(name), i18n.Names(loadFigures()...)))
}

func (p *parser) op() (Op, error) {
	p.skipSpace()
	for _, op := range []Op{LessEq, GreaterEq, Equal, Less, Greater} { // the longer first
		if strings.HasPrefix(p.text[p.at:], string(op)) {
			p.at += len(op)
			return op, nil
		}
	}
	if p.at < len(p.text) && p.text[p.at] == '=' {
		return "", p.problem(p.at, i18n.New("objective.write-compare-equality", "write == to compare for equality"))
	}
	if p.at == len(p.text) {
		return "", p.problem(p.at, i18n.New("objective.expected-limit", "expected <, <=, >, >= or == and a limit"))
	}
	return "", p.problem(p.at, i18n.New("objective.expected-found", "expected <, <=, >, >= or ==, found %q", p.rest()))
}

// number reads a decimal number; NaN if there is none.
func (p *parser) number() float64 {
	return numberOf(p.take(func(c byte) bool { return c == '.' || isDigit(c) }))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isName(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }

// isUnit includes the bytes of µ.
func isUnit(c byte) bool { return isLetter(c) || c == '%' || c == '/' || c >= 0x80 }
