package probe

import (
	"os"
	"testing"
	"time"
)

// The clocks of a tree say what its snapshots say.
func TestClocksOfATree(t *testing.T) {
	p := NewProcess(os.Getpid())
	defer p.Close()
	before, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	clocks := p.Clocks()
	began := clocks.Read()
	for x := 0; clocks.Read()-began < 5*time.Millisecond; x++ { // work
	}
	used := clocks.Read() - began
	after, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if whole := after.Since(before).CPU; used < 5*time.Millisecond || used > whole {
		t.Errorf("%v by the clocks, %v between the snapshots around them", used, whole)
	}
	if n := testing.AllocsPerRun(100, func() { clocks.Read() }); n > 0 {
		t.Errorf("a reading allocates %v times", n)
	}
}
