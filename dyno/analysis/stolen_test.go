package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
)

// What the hypervisor took may be in a subject's CPU time, unless the kernel leaves it out. Truth:
// of 600 ms that were counted as the subject's in user mode 100 are the hypervisor's, or none.
func TestStolenTimeInCPUTime(t *testing.T) {
	for apart, truth := range map[bool]float64{false: 500.0 / 600, true: 1} {
		run := &archive.Run{}
		run.Manifest.Machine.StealApart = apart
		run.Manifest.Claims = append(run.Manifest.Claims, claim.Claim{Expressions: []string{"cpu.user[a] < 2ms"}})
		run.Manifest.Plan.Cells = append(run.Manifest.Plan.Cells, study.Cell{Profile: profile.Profile{Mode: profile.Closed, Connections: 4}})
		d := watch(run, &archive.Trial{})
		d.add(&archive.Window{
			Level:  finding.Valid,
			Client: measure.Window{Length: 2 * time.Second, Completed: 4000, Health: &measure.Health{Steal: 100 * time.Millisecond}},
			Server: probe.Window{Length: 2 * time.Second, Process: &probe.Process{CPU: time.Second}},
		}, nil)
		d.process = process{cpu: time.Second, user: 600 * time.Millisecond, sys: 400 * time.Millisecond}
		b, ok := d.bound(finding.Steal, "cpu.user")
		if !ok || b.low > truth || b.high < truth {
			t.Errorf("apart %v: from %.3g to %.3g, bounded %v; without it it is %.3g times what was measured", apart, b.low, b.high, ok, truth)
		}
		if apart && b.low < 0.94 {
			t.Errorf("a twentieth of the requests came late, and %.3g of their time may be another's", 1-b.low)
		}
		d.others, d.blind = 100*time.Millisecond, false
		if o, ok := d.bound(finding.OtherLoad, "cpu.user"); !ok || o.low > 500.0/600 {
			t.Errorf("what other programs used may be in it whatever the kernel says: from %.3g, bounded %v", o.low, ok)
		}
	}
}
