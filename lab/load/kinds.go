package load

// ErrorCount is how many requests failed in one way.
type ErrorCount struct {
	Kind  string // as in files: "connect", "timeout", …
	Count uint64
}

// count counts one error of a kind.
func (e *Errors) count(kind string) {
	switch kind {
	case "connect":
		e.Connect++
	case "timeout":
		e.Timeout++
	case "reset":
		e.Reset++
	case "status":
		e.Status++
	case "body":
		e.Body++
	case "expect":
		e.Expect++
	}
}

// ByKind returns the counts of all kinds, also those that are zero.
func (e Errors) ByKind() []ErrorCount {
	return []ErrorCount{
		{"connect", e.Connect}, {"timeout", e.Timeout}, {"reset", e.Reset}, {"status", e.Status}, {"body", e.Body}, {"expect", e.Expect},
	}
}
