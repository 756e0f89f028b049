package export

import (
	"time"

	"dyno.example/dyno/load"
	"dyno.example/internal/i18n"
)

// failureJSON is a failed request in the JSON object.
type failureJSON struct {
	Kind     string       `json:"kind"`
	Request  string       `json:"request,omitempty"` // its name in the mix
	Why      i18n.Message `json:"why"`
	At       float64      `json:"at_s"` // since the measured time began; negative while warming up
	Sent     string       `json:"sent,omitempty"`
	Received string       `json:"received,omitempty"`
}

func failuresOf(r *load.Result) []failureJSON {
	list := []failureJSON{}
	for _, f := range r.Failures {
		list = append(list, failureJSON{f.Kind, f.Request, f.Why, f.At.Round(time.Microsecond).Seconds(), f.Sent, f.Received})
	}
	return list
}
