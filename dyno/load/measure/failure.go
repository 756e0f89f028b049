package measure

import (
	"time"

	"dyno.example/internal/i18n"
)

// Failure is one failed request, kept in full for the report.
type Failure struct {
	Kind    string       `json:"kind"`              // as the JSON names of [Errors]
	Request string       `json:"request,omitempty"` // its name in the mix
	Why     i18n.Message `json:"why"`
	// At is when it failed, in ns since the measured time began; negative while
	// warming up.
	At time.Duration `json:"at"`
	// Sent and Received are the request and as much of the response as was there;
	// of a complete response, its body without chunk framing. They are cut at
	// 8 KiB, and the values of headers that are secrets are blanked out. Paths
	// and bodies are kept as they are.
	Sent     string `json:"sent,omitempty"`
	Received string `json:"received,omitempty"`
}
