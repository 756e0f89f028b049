package probe

import (
	"reflect"
	"testing"
	"time"
)

func TestMachineSince(t *testing.T) {
	a := MachineTotals{cpus: 2, busy: 10 * time.Second, steal: 5 * time.Second, retransmits: 7, swapOut: 1, pressure: [3]time.Duration{1, 2, 3}}
	b := MachineTotals{cpus: 2, busy: 11 * time.Second, steal: 4 * time.Second, retransmits: 9, listenDrops: 3, listenOverrun: 2, swapOut: 1, load1: 0.5, pressure: [3]time.Duration{11, 22, 33}}
	want := Machine{
		CPUs: 2, Busy: time.Second, Load1: 0.5, Retransmits: 2, ListenDrops: 3, ListenOverrun: 2,
		PressureCPU: 10, PressureMem: 20, PressureIO: 30,
	}
	if got := b.Since(a); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
