package claim

import (
	"slices"

	"dyno.example/internal/i18n"
)

// Verdict is what becomes of a claim, or of one part of it.
type Verdict string

// The verdicts. Only a part that names its published figure can be confirmed as
// published.
const (
	AsPublished Verdict = "confirmed as published" // the published figure lies in the interval
	AtLeast     Verdict = "confirmed, at least"    // the effect is surely larger than published
	Confirmed   Verdict = "confirmed"              // what is claimed holds; no figure was published, or the parts are confirmed in different ways
	// ByConstruction is what would be confirmed if the study could have come out otherwise.
	ByConstruction Verdict = "by construction"
	Direction      Verdict = "direction only" // the direction holds, the size is undecided
	SizeRefuted    Verdict = "size refuted"   // the interval excludes the size, whether the direction holds or not
	Opposite       Verdict = "opposite"       // the effect is surely the other way
	NoEffect       Verdict = "no effect"      // equivalent to none within the margin
	Undecided      Verdict = "undecided"      // the data don't decide
	Unmeasurable   Verdict = "unmeasurable"   // it can't be measured here, or not in this way
	Mixed          Verdict = "mixed"          // of a claim whose parts came out differently
)

// Message is the verdict as a word of a sentence.
func (v Verdict) Message() i18n.Message {
	switch v {
	case AsPublished:
		return i18n.New("verdict.as-published", string(AsPublished))
	case AtLeast:
		return i18n.New("verdict.at-least", string(AtLeast))
	case Confirmed:
		return i18n.New("verdict.confirmed", string(Confirmed))
	case ByConstruction:
		return i18n.New("verdict.by-construction", string(ByConstruction))
	case Direction:
		return i18n.New("verdict.direction", string(Direction))
	case SizeRefuted:
		return i18n.New("verdict.size-refuted", string(SizeRefuted))
	case Opposite:
		return i18n.New("verdict.opposite", string(Opposite))
	case NoEffect:
		return i18n.New("verdict.no-effect", string(NoEffect))
	case Undecided:
		return i18n.New("verdict.undecided", string(Undecided))
	case Unmeasurable:
		return i18n.New("verdict.unmeasurable", string(Unmeasurable))
	case Mixed:
		return i18n.New("verdict.mixed", string(Mixed))
	}
	return i18n.Verbatim(string(v))
}

// Verdicts are all there are, best first.
func Verdicts() []Verdict {
	return []Verdict{AsPublished, AtLeast, Confirmed, ByConstruction, Direction, Mixed, SizeRefuted, NoEffect, Opposite, Undecided, Unmeasurable}
}

// Confirms reports whether direction and size hold.
func (v Verdict) Confirms() bool { return v == AsPublished || v == AtLeast || v == Confirmed }

// Refutes reports whether the data speak against what is claimed.
func (v Verdict) Refutes() bool { return v == SizeRefuted || v == NoEffect || v == Opposite }

// alike is the verdict that several have in common, [Confirmed] if they are
// confirmed in different ways, and [Mixed] otherwise.
func alike(list []Verdict) Verdict {
	switch {
	case len(list) == 0:
		return Undecided
	case all(list, func(v Verdict) bool { return v == list[0] }):
		return list[0]
	case all(list, Verdict.Confirms):
		return Confirmed
	}
	return Mixed
}

// overRange is the verdict on what must hold at each place of a moderator: one place at
// which it does not is enough to refute it. Where only the size depends on the
// moderator, the direction holds.
func overRange(list []Verdict) Verdict {
	together := alike(list)
	has := func(v Verdict) bool { return slices.Contains(list, v) }
	switch {
	case together != Mixed:
		return together
	case slices.ContainsFunc(list, Verdict.Refutes):
		return SizeRefuted
	case has(Unmeasurable):
		return Unmeasurable
	case has(Undecided):
		return Undecided
	}
	return Direction
}

func all(list []Verdict, is func(Verdict) bool) bool {
	return !slices.ContainsFunc(list, func(v Verdict) bool { return !is(v) })
}
