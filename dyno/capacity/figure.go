package capacity

import (
	"encoding/json"
	"math"

	"dyno.example/dyno/load/measure"
)

// Figure is one that may not exist: NaN, which is null in JSON.
type Figure float64

// none is the figure that does not exist.
func none() Figure { return Figure(math.NaN()) }

// Exists reports whether there is such a figure.
func (f Figure) Exists() bool { return !math.IsNaN(float64(f)) }

// MarshalJSON implements [json.Marshaler].
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Exists() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = none()
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// quantile is one of the response time, in ns, which is only a lower bound if atLeast.
// There is none if nothing was timed, or too few requests for one to lie beyond it.
func quantile(w *measure.Window, percent float64) (f Figure, atLeast bool) {
	ns, known := w.Quantile(measure.Response, percent)
	if w.Timed(measure.Response) == 0 || known && !w.Tells(measure.Response, percent) {
		return none(), false
	}
	return Figure(ns), !known
}
