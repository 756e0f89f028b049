package stats

// Outcome is what a comparison of a with b comes to.
type Outcome string

const (
	IsHigher Outcome = "higher"     // a is, more than the margin allows to call the same
	IsLower  Outcome = "lower"      // a is
	IsSame   Outcome = "the same"   // within the margin
	CantTell Outcome = "can't tell" // more blocks, or less noise, would
)

// Comparison is a ratio with what it means.
type Comparison struct {
	Interval         // of the ratio a/b
	Outcome  Outcome `json:"outcome"`
	Margin   float64 `json:"margin"` // 0.02 calls the same what differs by a factor of 1.02 at most
}

// Equivalent reports whether the interval of a ratio shows that it is 1 within
// the margin: from 1/(1+margin) to 1+margin. With an interval at the level 1−2α
// that is Schuirmann's two one-sided tests at α ("A Comparison of the Two
// One-Sided Tests Procedure and the Power Approach", Journal of Pharmacokinetics
// and Biopharmaceutics 15, 1987); the lab's 95 % therefore err in 2.5 % of the
// studies at most.
func Equivalent(i Interval, margin float64) bool {
	return i.Level > 0 && i.Low >= 1/(1+margin) && i.High <= 1+margin
}

// Compare compares a with b in pairs as [Ratio] does.
func Compare(a, b []float64, margin, level float64) Comparison {
	return Judge(Ratio(a, b, level), margin)
}

// Judge says what the interval of a ratio means, such as one of [Spending.Ratio]. What
// is the same within the margin is so although it may be known to differ by less;
// beyond that, an interval without 1 is a difference, and one with it is undecided.
func Judge(ratio Interval, margin float64) Comparison {
	c := Comparison{Interval: ratio, Margin: margin, Outcome: CantTell}
	switch {
	case ratio.Level <= 0:
	case Equivalent(ratio, margin):
		c.Outcome = IsSame
	case ratio.Low > 1:
		c.Outcome = IsHigher
	case ratio.High < 1:
		c.Outcome = IsLower
	}
	return c
}

// Different reports whether the two are known to differ.
func (c Comparison) Different() bool { return c.Outcome == IsHigher || c.Outcome == IsLower }
