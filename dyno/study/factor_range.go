package study

import (
	"math"
	"strconv"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Range is what a sampling design takes levels of a factor from.
type Range struct {
	From, To float64 // both are levels that can be taken
	Log      bool    // evenly spread are the logarithms
	Whole    bool    // only integers
	Unit     string  // written after the number
}

// scale is the order of a kind's levels.
type scale struct {
	whole bool // no level but integers
	unit  string
	end   func(at scope) float64 // reads an end of a range
}

// anyEnd reads an end whose meaning only the subject or the kernel defines.
func anyEnd(at scope) float64 { return at.number(-1e12, 1e12) }

func connectionsEnd(at scope) float64 { return float64(at.Integer(1, profile.MaxConnections)) }
func streamsEnd(at scope) float64     { return float64(at.Integer(1, request.MostStreams)) }
func rateEnd(at scope) float64        { return at.number(minRate, maxRate) }

// rangeAt reads {from: 1, to: 64, scale: log}.
func rangeAt(at scope, k kind) *Range {
	if k.scale == nil {
		at.Report(i18n.New("study.levels-unordered", "the levels of %s have no order that a range could be of", k.name), i18n.New("study.levels-form", `write its levels as [a, b]`))
		return nil
	}
	f, understood := at.fields("from", "to", "scale")
	from, hasFrom := f["from"]
	to, hasTo := f["to"]
	if understood && !(hasFrom && hasTo) {
		at.Report(i18n.New("study.range-needs-ends", "a range needs both ends"), i18n.Verbatim("{from: 1, to: 64}"))
	}
	if !hasFrom || !hasTo {
		return nil
	}
	before := len(at.in.Problems)
	r := &Range{From: k.scale.end(from), To: k.scale.end(to), Unit: k.scale.unit}
	r.Whole = k.scale.whole || r.From == math.Trunc(r.From) && r.To == math.Trunc(r.To)
	if v, ok := f["scale"]; ok {
		r.Log = v.oneOf("linear", "log") == "log"
	}
	switch {
	case len(at.in.Problems) > before:
	case r.From >= r.To:
		to.Report(i18n.New("study.range-reversed", "the end of the range, %s, is not above its beginning, %s", r.text(r.To), r.text(r.From)))
	case r.Log && r.From <= 0:
		from.Report(i18n.New("study.log-range-from-zero", "a logarithmic range begins above zero"), i18n.Verbatim("scale: linear"))
	}
	return r
}

// digits are the significant digits of levels that are no integers.
const digits = 4

// level is the level at the share u, from 0 to less than 1, of the range. Integers all
// have an equal share, or one that is equal on the log scale.
func (r *Range) level(u float64) string {
	to := r.To
	if r.Whole {
		to++
	}
	x := r.From + u*(to-r.From)
	if r.Log {
		x = r.From * math.Pow(to/r.From, u)
	}
	if r.Whole {
		return r.text(min(max(math.Floor(x), r.From), r.To))
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return r.text(min(max(x, r.From), r.To))
}

func (r *Range) text(x float64) string { return plain(x) + r.Unit }
