package machine

import (
	"time"

	"dyno.example/dyno/probe"
)

// lookOn is how long other programs are watched.
const lookOn = 250 * time.Millisecond

// Read describes this machine, with remarks. It takes a quarter of a second, in
// which it watches what else is running.
func Read() Fingerprint {
	f := describeSystem()
	if f.FileLimit == 0 {
		limit, err := fileLimit()
		if err != nil {
			f.Missing = append(f.Missing, "file_limit: "+err.Error())
		}
		f.FileLimit = limit
	}
	if err := f.watch(); err != nil {
		f.Missing = append(f.Missing, "busy: "+err.Error())
	}
	f.Remarks = remarks(f)
	return f
}

// watch fills in what takes two readings to know. dyno itself sleeps meanwhile,
// so that all that is busy are others.
func (f *Fingerprint) watch() error {
	m := probe.NewMachine(0)
	defer m.Close()
	before, err := m.Snapshot()
	if err != nil {
		return err
	}
	time.Sleep(lookOn)
	after, err := m.Snapshot()
	if err != nil {
		return err
	}
	f.observe(after.Since(before), after.Since(probe.MachineTotals{}), lookOn)
	return nil
}

// observe notes what happened while looking on, and since boot.
func (f *Fingerprint) observe(w, boot probe.Machine, length time.Duration) {
	f.Busy = float64(w.Busy) / float64(length)
	f.Load1 = w.Load1
	if total := boot.Busy + boot.Steal; total > 0 {
		f.Steal = float64(boot.Steal) / float64(total)
	}
}
