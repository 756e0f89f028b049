package load

// Validity says what a measurement is worth.
type Validity string

const (
	Valid   Validity = "valid"   // nothing speaks against it
	Suspect Validity = "suspect" // use with the findings in mind
	Invalid Validity = "invalid" // must not be used for a conclusion
)

// Worse returns the worse of two validities.
func (v Validity) Worse(o Validity) Validity {
	if v == Invalid || o == Invalid {
		return Invalid
	}
	if v == Suspect || o == Suspect {
		return Suspect
	}
	return Valid
}

// Finding is one named reason why a window, trial or run is suspect or invalid.
type Finding struct {
	Name     string   `json:"name"`   // such as "generator-stalled"; see docs/findings.md
	Validity Validity `json:"level"`  // Suspect or Invalid; Valid for a remark
	Detail   string   `json:"detail"` // evidence and threshold, in one sentence
	Windows  []int    `json:"windows,omitempty"`
}

// worst returns the worst level among findings; Valid if there are none.
func worst(findings []Finding) Validity {
	v := Valid
	for _, f := range findings {
		v = v.Worse(f.Validity)
	}
	return v
}
