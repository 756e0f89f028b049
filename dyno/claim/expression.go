package claim

import (
	"strconv"
	"strings"
)

// Expression is what a claim comes to: comparisons that must all hold.
type Expression struct {
	Text        string // on one line
	Comparisons []Comparison

	source string // as it was written, which offsets and columns count in
}

// Op is how the sides of a comparison stand to each other.
type Op string

// The comparisons there are.
const (
	Less      Op = "<"
	LessEq    Op = "<="
	Greater   Op = ">"
	GreaterEq Op = ">="
	About     Op = "~" // within a tolerance
	// Between is a range, "3us <= a <= 8us": like [About] it has a bound, its middle, and a
	// tolerance, which makes its ends; but what is beyond it is no more than was claimed, it
	// is something else.
	Between Op = "between"
)

// twoSided reports whether what is claimed has two ends.
func (o Op) twoSided() bool { return o == About || o == Between }

// flipped is the comparison with its sides changed over.
func (o Op) flipped() Op {
	return map[Op]Op{Less: Greater, LessEq: GreaterEq, Greater: Less, GreaterEq: LessEq, About: About, Between: Between}[o]
}

// Comparison is two sides and what is claimed of them.
type Comparison struct {
	Text      string // as written, without what was published and the floor
	Op        Op
	Tolerance float64 // of About and Between, as a share of the right side
	// Fitted says that what the study sets is fitted to the figure that was published, so
	// that to confirm it is the only outcome there can be.
	Fitted bool
	// Unmeasurable says that this comparison can't be decided here, whatever the others can.
	Unmeasurable bool

	left, right node
	at          int // offset of the operator

	published   node // the figure that was published; nil if none is named
	publishedAt int
	floor       node // what the figure would be if the work cost nothing; nil if none is named
}

// NamesPublished reports whether the comparison names the figure that was published.
func (c *Comparison) NamesPublished() bool { return c.published != nil }

// node is a part of an expression that has a value: a number, quantity, sweep, index
// or operation.
type node interface{ offset() int }

// number is a figure in seconds, bytes or plainly.
type number struct {
	value float64
	dim   dimension
	bare  bool // written without a unit
	at    int
}

// quantity is a metric of the cell that its selector names.
type quantity struct {
	metric string
	picks  []pick
	at     int
}

// sweep is a level of a factor: the knee of the throughput, or the highest level
// at which a condition still holds.
type sweep struct {
	kind     string // "knee" or "max"
	factor   string
	factorAt int
	holds    []Comparison // of max
	picks    []pick
	at       int
}

// operation is two values put together.
type operation struct {
	op          byte // + - * /
	left, right node
	at          int
}

func (n number) offset() int    { return n.at }
func (q quantity) offset() int  { return q.at }
func (s sweep) offset() int     { return s.at }
func (o operation) offset() int { return o.at }

// pick is one item of a selector: "factor=level", or a subject's name, whose key
// is empty.
type pick struct {
	key, value string
	at         int
}

// String writes the comparison so that it can be read again.
func (c *Comparison) String() string {
	text := write(c.left, 0) + " " + string(c.Op) + " " + write(c.right, 0)
	if c.Op == Between {
		text = write(c.end(-1), 0) + " <= " + write(c.left, 0) + " <= " + write(c.end(+1), 0)
	}
	if c.Op == About {
		text += " +- " + percent(c.Tolerance)
	}
	if c.published != nil {
		text += " " + publishedWord + " " + write(c.published, 0)
	}
	if c.floor != nil {
		text += " " + floorWord + " " + write(c.floor, 0)
	}
	return text
}

// end is one of the two of a range.
func (c *Comparison) end(side float64) node {
	n, _ := c.right.(number)
	n.value *= 1 + side*c.Tolerance
	return n
}

// percent writes a share as people do: "2 %" is "2%" in an expression.
func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'g', 12, 64) + "%"
}

// binding is how tightly an operator binds.
func binding(op byte) int {
	if op == '+' || op == '-' {
		return 1
	}
	return 2
}

// write puts a node into words, in parentheses if what is around it binds more
// tightly.
func write(n node, around int) string {
	switch n := n.(type) {
	case number:
		return writeNumber(n)
	case quantity:
		return n.metric + writePicks(n.picks)
	case sweep:
		return writeSweep(n)
	case index:
		return writeIndex(n)
	case operation:
		b := binding(n.op)
		text := write(n.left, b) + " " + string(n.op) + " " + write(n.right, b+1)
		if b < around {
			text = "(" + text + ")"
		}
		return text
	}
	return ""
}

func writeNumber(n number) string {
	switch n.dim {
	case duration:
		return strconv.FormatFloat(n.value*1e3, 'g', 12, 64) + "ms"
	case size:
		return strconv.FormatFloat(n.value, 'g', 12, 64) + "B"
	case perSecond:
		return strconv.FormatFloat(n.value, 'g', 12, 64) + "/s"
	}
	if !n.bare {
		return percent(n.value)
	}
	return strconv.FormatFloat(n.value, 'g', 12, 64)
}

func writeSweep(s sweep) string {
	text := s.kind + "(" + quoted(s.factor)
	for i := range s.holds {
		join := ": "
		if i > 0 {
			join = " and "
		}
		text += join + s.holds[i].String()
	}
	return text + ")" + writePicks(s.picks)
}

func writePicks(picks []pick) string {
	if len(picks) == 0 {
		return ""
	}
	items := make([]string, len(picks))
	for i, p := range picks {
		items[i] = quoted(p.value)
		if p.key != "" {
			items[i] = quoted(p.key) + "=" + items[i]
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// quoted writes a name in quotes if it would be read as something else without.
func quoted(name string) string {
	if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, `,[]()=:"'`) {
		return strconv.Quote(name)
	}
	return name
}
