package keeping

import (
	"errors"
	"fmt"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/offcpu"
)

// endOffCPU keeps where threads were while they were off the CPU in the measured time, and of that
// what slow requests waited for and what others did, as evidence of them tells.
func (k *Keeping) endOffCPU(t *archive.Trial, until int64, slow, others []*evidence.Record) {
	if k.cantSee != nil {
		t.Lack(archive.OffCPUProfile, k.cantSee)
	}
	if k.offCPU == nil {
		return
	}
	seen := k.offCPU.Stop()
	k.offCPU = nil
	var remarks []string
	if seen.Lost > 0 {
		remarks = append(remarks, fmt.Sprintf("%d waits were lost", seen.Lost))
	}
	k.waited(t, archive.OffCPUProfile, seen, func(s offcpu.Stretch) int64 {
		if k.measured == 0 {
			return 0
		}
		return min(s.To, until) - max(s.From, k.measured)
	}, remarks)
	if t.Evidence == nil {
		return
	}
	in := func(requests []*evidence.Record) func(offcpu.Stretch) int64 {
		of := stretchesOf(requests, waits)
		return func(s offcpu.Stretch) int64 { return of.within(s.Thread, s.From, s.To) }
	}
	if len(slow) == 0 {
		t.Lack(archive.SlowOffCPUProfile, errNoneSlow)
	} else {
		k.waited(t, archive.SlowOffCPUProfile, seen, in(slow), append(remarks, "only of threads that had slow requests of which there is evidence"))
	}
	k.waited(t, archive.OtherOffCPUProfile, seen, in(others), append(remarks, "only of threads that had ordinary requests of which there is evidence"))
}

// waited keeps the parts of waits that are wanted.
func (k *Keeping) waited(t *archive.Trial, kind archive.Kind, seen *offcpu.Seen, of func(offcpu.Stretch) int64, remarks []string) {
	p := seen.Profile(of)
	if len(p.Samples) == 0 {
		t.Lack(kind, errors.New("no thread was off the CPU in that time"))
		return
	}
	k.write(t, kind, p, remarks)
}
