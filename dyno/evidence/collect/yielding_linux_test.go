package collect

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestYielding asks the kernel which class the thread is in, and that no other is.
func TestYielding(t *testing.T) {
	class := func(yields bool) uint32 {
		said := make(chan uint32)
		go func() {
			if yields {
				yielding()
			}
			attr, err := unix.SchedGetAttr(0, 0)
			if err != nil {
				t.Error(err)
				attr = new(unix.SchedAttr)
			}
			said <- attr.Policy
		}()
		return <-said
	}
	before := class(false)
	if got := class(true); got != unix.SCHED_BATCH {
		t.Errorf("a thread that yields is in class %d, want %d", got, unix.SCHED_BATCH)
	}
	if got := class(false); got != before {
		t.Errorf("another is in class %d, before it %d", got, before)
	}
}
