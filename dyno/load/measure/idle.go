package measure

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// Idle is what a server used before the load, when it was up without requests: its
// process and all processes under it.
type Idle struct {
	Length time.Duration `json:"length"` // of the time that was looked at, ns
	CPU    time.Duration `json:"cpu"`    // user + system, ns
}

// IdleSuspect is from how many CPUs on an idle server is called busy. It is the limit
// of the finding "other-load": as much of another program would be named too.
const IdleSuspect = othersSuspect

// Share is how many CPUs were used; 0 of none.
func (i *Idle) Share() float64 {
	if i == nil || i.Length <= 0 {
		return 0
	}
	return float64(i.CPU) / float64(i.Length)
}

// Finding says that the server was busy without a load. It is the server's own doing,
// and no fault of the machine: it is in its CPU time per request all the same.
func (i *Idle) Finding() (f finding.Finding, found bool) {
	if i.Share() < IdleSuspect {
		return f, false
	}
	return finding.Finding{Name: finding.IdleCPU, Validity: finding.Suspect, Detail: i18n.New("measure.subject-busy-when-idle",
		"before the load, when nothing was asked of it, the subject itself used %.0f %% of a CPU (limit %.0f %%, looked at for %v): its CPU time per request has that in it, and its threads may have been in each other's way",
		100*i.Share(), 100*IdleSuspect, i.Length.Round(time.Millisecond))}, true
}
