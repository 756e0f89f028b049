package profile

import "dyno.example/internal/i18n"

// Pacing says how an event loop waits for the next arrival of an open loop.
type Pacing string

const (
	// AutoPacing sleeps until shortly before an arrival is due and polls for the
	// rest: within some µs of the schedule at a fraction of a CPU. The default.
	AutoPacing Pacing = "auto"
	// SpinPacing polls all the time: the most exact, at the price of a whole CPU.
	SpinPacing Pacing = "spin"
	// TimerPacing always sleeps, and polls about ten thousand times a second: the
	// cheapest. Requests are sent, and responses seen, up to 0.1 ms late; both are in
	// the times that are reported.
	TimerPacing Pacing = "timer"
)

// Check reports what is wrong with the pacing, or nil.
func (p Pacing) Check() error {
	switch p {
	case "", AutoPacing, SpinPacing, TimerPacing:
		return nil
	}
	return i18n.Errorf("profile.unknown-pacing", "pacing %q is none of %q, %q and %q", p, AutoPacing, SpinPacing, TimerPacing)
}
