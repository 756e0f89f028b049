package claim

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dyno.example/internal/i18n"
)

// Limits of an expression; more is a mistake.
const (
	maxLength = 4096 // bytes
	maxDepth  = 50   // of parentheses
)

// Parse reads an expression. The error is of type [*Error]. Whether the names in
// it exist is the business of [Check].
func Parse(text string) (*Expression, error) {
	if len(text) > maxLength || !utf8.ValidString(text) {
		return nil, &Error{Column: 1, What: i18n.New("claim.expected-text", "expected UTF-8 text of at most %d bytes", maxLength)}
	}
	p := &parser{scan: scanner{src: text}}
	p.advance()
	e := &Expression{Text: oneLine(text), source: text, Comparisons: p.conditions()}
	if p.tok.kind != end {
		p.fail(p.tok.at, i18n.Message{}, i18n.New("claim.expected-end", "expected the end, or \"and\", got %v", p.tok))
	}
	if p.err != nil {
		return nil, p.err.place(text)
	}
	return e, nil
}

// oneLine closes up the spaces and line ends of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// parser is a recursive descent over tokens. After an error it is at the end, so
// that everything above returns.
type parser struct {
	scan  scanner
	tok   token
	last  int // offset of the end of the token before tok
	depth int
	err   *Error
}

// fail notes what is wrong, the first time.
func (p *parser) fail(at int, hint, what i18n.Message) {
	if p.err == nil {
		p.err = &Error{at: at, What: what, Hint: hint}
	}
	p.tok = token{kind: end, at: len(p.scan.src)}
	p.scan.at = len(p.scan.src)
}

func (p *parser) advance() {
	p.last = p.scan.at
	p.tok = p.scan.next()
}

func (p *parser) isSign(texts ...string) bool {
	return p.tok.kind == sign && slices.Contains(texts, p.tok.text)
}

// expect takes the sign that must come next.
func (p *parser) expect(text string) {
	if !p.isSign(text) {
		p.fail(p.tok.at, i18n.Message{}, i18n.New("claim.expected-token", "expected %q, got %v", text, p.tok))
		return
	}
	p.advance()
}

// conditions reads comparisons with "and" between them.
func (p *parser) conditions() []Comparison {
	list := []Comparison{p.comparison()}
	for p.tok.kind == word && p.tok.text == "and" {
		p.advance()
		list = append(list, p.comparison())
	}
	return list
}

func (p *parser) comparison() Comparison {
	from := p.tok.at
	c := Comparison{left: p.sum()}
	c.at, c.Op = p.tok.at, Op(p.tok.text)
	if !p.isSign("<", "<=", ">", ">=", "~") {
		p.fail(p.tok.at, i18n.New("claim.comparison-form", "a claim compares, such as a / b >= 2.3"), i18n.New("claim.expected-comparison", "expected <, <=, >, >= or ~, got %v", p.tok))
		return c
	}
	p.advance()
	c.right = p.sum()
	if c.Op == About {
		c.Tolerance = DefaultTolerance
		if p.isSign("+-") {
			c.Tolerance = p.tolerance()
		}
		if right, ok := c.right.(number); ok && right.value == 0 {
			p.fail(c.at, i18n.New("claim.same-form", "that two figures are the same is claimed as a / b ~ 1 +- 5%%"), i18n.New("claim.about-zero", "about zero is zero exactly: the tolerance is a share of the right side"))
		}
	}
	if c.Op == LessEq && p.isSign("<=") {
		p.between(&c)
	}
	if p.isSign("<", "<=", ">", ">=", "~") {
		p.fail(p.tok.at, i18n.New("claim.chain-form", `write "a < b and b < c", or a range as 3us <= a <= 8us`), i18n.New("claim.second-comparison", "expected one comparison, got a second %v", p.tok))
	}
	if p.err == nil {
		c.Text = oneLine(p.scan.src[from:p.last])
	}
	p.clauses(&c)
	return c
}

// between reads the upper end of a range, whose lower end and figure were taken for a
// comparison.
func (p *parser) between(c *Comparison) {
	c.at = p.tok.at
	p.advance()
	low, isLow := c.left.(number)
	high, isHigh := p.sum().(number)
	if p.err != nil {
		return
	}
	if !isLow || !isHigh || low.dim != high.dim || !(low.value > 0) || !(high.value > low.value) {
		p.fail(c.at, i18n.New("claim.range-form", "write it as 3us <= a <= 8us"), i18n.New("claim.expected-number-range", "expected a range from one number above zero to a larger one of the same unit"))
		return
	}
	middle := low
	middle.value = (low.value + high.value) / 2
	c.Op, c.left, c.right = Between, c.right, middle
	c.Tolerance = (high.value - low.value) / (high.value + low.value)
}

// Words that begin a clause behind a comparison, or are one.
const (
	publishedWord    = "published"
	floorWord        = "floor"
	fittedWord       = "fitted"
	unmeasurableWord = "unmeasurable"
)

// isClause reports whether a word has a meaning behind a comparison, and can't be a metric.
func isClause(word string) bool {
	return slices.Contains([]string{publishedWord, floorWord, fittedWord, unmeasurableWord}, word)
}

// clauses reads what may stand behind a comparison: the figure that was published,
// and what the figure would be if the work that is measured cost nothing.
func (p *parser) clauses(c *Comparison) {
	for p.tok.kind == word {
		t := p.tok
		switch {
		case t.text == publishedWord && c.published == nil:
			p.advance()
			c.publishedAt = p.tok.at
			c.published = p.sum()
			if _, rest := strip(c.published); rest != nil && p.err == nil {
				p.fail(c.publishedAt, i18n.New("claim.number-form", "write it as a number, or as numbers put together: 65300 / 28400"), i18n.New("claim.published-is-number", "a published figure has nothing measured in it"))
			}
		case t.text == floorWord && c.floor == nil:
			p.advance()
			c.floor = p.sum()
		case t.text == fittedWord && !c.Fitted:
			p.advance()
			c.Fitted = true
		case t.text == unmeasurableWord && !c.Unmeasurable:
			p.advance()
			c.Unmeasurable = true
		case isClause(t.text):
			p.fail(t.at, i18n.Message{}, i18n.New("claim.stands-twice", "%q stands here twice", t.text))
		default:
			return
		}
	}
}

// tolerance reads what stands behind "+-".
func (p *parser) tolerance() float64 {
	p.advance()
	t := p.tok
	if t.kind != numeral || t.dim != plain || !(t.value > 0 && t.value < 1) {
		p.fail(t.at, i18n.Message{}, i18n.New("claim.expected-tolerance-got", "expected a tolerance such as 5%%, got %v", t))
		return 0
	}
	p.advance()
	return t.value
}

func (p *parser) sum() node {
	n := p.product()
	for p.isSign("+", "-") {
		n = p.operation(n, p.product)
	}
	return n
}

func (p *parser) product() node {
	n := p.factor()
	for p.isSign("*", "/") {
		n = p.operation(n, p.factor)
	}
	return n
}

// operation takes the operator and what stands to its right.
func (p *parser) operation(left node, right func() node) node {
	o := operation{op: p.tok.text[0], left: left, at: p.tok.at}
	p.advance()
	o.right = right()
	return o
}

// factor reads what operators stand between.
func (p *parser) factor() node {
	t := p.tok
	if p.depth++; p.depth > maxDepth {
		p.fail(t.at, i18n.Message{}, i18n.New("claim.too-deep", "expected at most %d parentheses and signs within each other", maxDepth))
	}
	defer func() { p.depth-- }()
	switch {
	case t.kind == numeral:
		p.advance()
		return number{t.value, t.dim, t.bare, t.at}
	case p.isSign("-"):
		return p.operation(number{bare: true, at: t.at}, p.factor)
	case p.isSign("("):
		p.advance()
		n := p.sum()
		p.expect(")")
		return n
	case t.kind == word && t.text != "and" && !isClause(t.text):
		return p.named()
	}
	p.fail(t.at, i18n.Message{}, i18n.New("claim.expected-operand", "expected a metric or a number, got %v", t))
	return number{at: t.at}
}

// named reads a metric, or a function of a factor, and its selector.
func (p *parser) named() node {
	t := p.tok
	if strings.HasPrefix(strings.TrimSpace(p.scan.rest()), "(") {
		return p.function()
	}
	p.advance()
	return quantity{t.text, p.selector(), t.at}
}

// function reads one that stands before parentheses.
func (p *parser) function() node {
	if p.tok.text == sobolFirst || p.tok.text == sobolTotal {
		return p.index()
	}
	return p.sweep()
}

// sweep reads knee(factor) or max(factor: conditions).
func (p *parser) sweep() node {
	s := sweep{kind: p.tok.text, at: p.tok.at}
	if s.kind != "knee" && s.kind != "max" {
		p.fail(s.at, i18n.New("claim.range-functions", "there are knee(factor), max(factor: condition), sobol(metric, factor) and sobol.total(metric, factor)"), i18n.New("claim.unknown-function", "%q is no function", s.kind))
		return s
	}
	p.advance() // to the parenthesis, behind which the factor's name is read raw
	p.scan.spaces()
	s.factorAt = p.scan.at
	name, _, ok := p.scan.raw(":)")
	if !ok || name == "" {
		p.fail(s.factorAt, i18n.Message{}, i18n.New("claim.expected-name-factor", "expected the name of a factor"))
		return s
	}
	s.factor = name
	p.advance()
	if s.kind == "max" {
		p.expect(":")
		s.holds = p.conditions()
	}
	p.expect(")")
	s.picks = p.selector()
	return s
}

// selector reads what stands in brackets behind a metric, if there is something.
func (p *parser) selector() []pick {
	if !p.isSign("[") {
		return nil
	}
	var picks []pick
	for {
		picks = append(picks, p.pick())
		p.advance()
		if !p.isSign(",") {
			break
		}
	}
	p.expect("]")
	return picks
}

// pick reads one item of a selector, raw: names and levels may hold slashes.
func (p *parser) pick() pick {
	p.scan.spaces()
	item := pick{at: p.scan.at}
	text, quoted, ok := p.scan.raw("=,[]")
	if ok && strings.HasPrefix(p.scan.rest(), "=") {
		item.key = text
		p.scan.at++
		text, quoted, ok = p.scan.raw(",[]")
		ok = ok && item.key != ""
	}
	item.value = text
	if !ok || text == "" && !quoted {
		p.fail(item.at, i18n.New("claim.selector-form", `write [subject, factor=level], and names that hold commas or brackets in "quotes"`), i18n.New("claim.expected-selector", "expected the name of a subject, or factor=level"))
	}
	return item
}
