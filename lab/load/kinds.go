package load

// ErrorCount is how many requests failed in one way.
type ErrorCount struct {
	Kind  string // as in files: "connect", "timeout", …
	Count uint64
}

// ByKind returns the counts of all kinds, also those that are zero.
func (e Errors) ByKind() []ErrorCount {
	return []ErrorCount{
		{"connect", e.Connect}, {"timeout", e.Timeout}, {"reset", e.Reset}, {"status", e.Status}, {"body", e.Body}, {"expect", e.Expect},
	}
}
