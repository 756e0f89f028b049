package config

import "time"

// Fault makes a share of requests fail or wait, for tests.
type Fault struct {
	Abort      int // status; 0: none
	AbortShare float64
	Delay      time.Duration
	DelayShare float64
}

const leastFault = 400 // status

// check says what is wrong with the responses that are made up.
func (f *Fault) check(report report) {
	if f.Abort != 0 {
		hint, message := between(leastFault, mostStatus, f.Abort)
		report.value(hint, message, "abort", "status")
		hint, message = checkShare(f.AbortShare)
		report.value(hint, message, "abort", "share")
	}
}

func readFault(p place) *Fault {
	f := &Fault{}
	readFields(p, f, []known[Fault]{
		// A share of the requests gets a status, and no upstream sees it.
		{"abort", func(f *Fault, p place) {
			f.AbortShare = 1
			readFields(p, f, []known[Fault]{
				// Default: required
				{"status", func(f *Fault, p place) { f.Abort = p.status(leastFault, mostStatus) }},
				// Default: `100%`
				{"share", func(f *Fault, p place) { f.AbortShare = p.share() }},
			})
			if f.Abort == 0 {
				p.Problem("such as {status: 503, share: 1%}", "an abort needs a status")
			}
		}},
		// A share of the requests waits.
		{"delay", func(f *Fault, p place) {
			f.DelayShare = 1
			readFields(p, f, []known[Fault]{
				// How long. Default: required
				{"for", func(f *Fault, p place) { f.Delay = p.Duration(time.Millisecond, time.Minute) }},
				// Default: `100%`
				{"share", func(f *Fault, p place) { f.DelayShare = p.share() }},
			})
			if f.Delay == 0 {
				p.Problem("such as {for: 100ms, share: 5%}", "a delay needs for")
			}
		}},
	})
	return f
}
