package archive

import "time"

// WarmUp is a load that was put on a subject before its trial, until it was steady
// or the time for that was up. Its windows are none of the trial's.
type WarmUp struct {
	Steady  bool           `json:"steady"`
	Took    time.Duration  `json:"took"` // from the first request to the first second that was as the last ones were; all of it if it never was, ns
	Seconds []WarmUpSecond `json:"seconds"`
}

// WarmUpSecond is what steadiness is judged by.
type WarmUpSecond struct {
	Length    time.Duration `json:"length"` // ns; only the first may be shorter than a second
	Completed uint64        `json:"completed"`
	P50       time.Duration `json:"p50"`           // of the response, ns; 0 if there was none
	CPU       time.Duration `json:"cpu,omitempty"` // that the subject used, all of its processes, ns; 0 if that could not be seen
}

// Lasted is how long the load was.
func (w *WarmUp) Lasted() (d time.Duration) {
	for i := range w.Seconds {
		d += w.Seconds[i].Length
	}
	return d
}
