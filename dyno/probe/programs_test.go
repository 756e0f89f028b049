package probe

import (
	"slices"
	"testing"
	"time"
)

func TestParseEachCPU(t *testing.T) {
	c, err := parseEachCPU(sample(t, "stat"))
	if err != nil || len(c.tasks) < 4 {
		t.Fatalf("got %+v, %v", c, err)
	}
	// CPU 1 is offline: it has no line, and has done nothing.
	c, err = parseEachCPU([]byte("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu2 10 0 0 0 0 0 0 0 0 0\nintr 5\n"))
	if err != nil || !slices.Equal(c.tasks, []time.Duration{6 * tick, 0, 10 * tick}) || !slices.Equal(c.irq, []time.Duration{13 * tick, 0, 0}) || c.steal[0] != 8*tick {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, data := range []string{"cpu0 1 2 3\n", "cpu0 1 2 3 4 5 6 7 x 0 0\n", "cpux 1 2 3 4 5 6 7 8 9 0\n", "cpu99999 1 2 3 4 5 6 7 8 9 0\n"} {
		if got, err := parseEachCPU([]byte(data)); err == nil {
			t.Errorf("%q: no error, but %+v", data, got)
		}
	}
}

func TestSinceOfEachCPU(t *testing.T) {
	a := eachCPU{tasks: []time.Duration{5, 9}}
	b := eachCPU{tasks: []time.Duration{7, 8, 3}}
	// A count that went back, and a CPU that came online, have done nothing.
	if got := b.since(a).tasks; !slices.Equal(got, []time.Duration{2, 0, 0}) {
		t.Errorf("got %v", got)
	}
}

func TestProgramsSince(t *testing.T) {
	const second = int64(time.Second)
	program := func(pid int, name string, cpu time.Duration) programTotal {
		return programTotal{Program: Program{PID: pid, Name: name, CPU: cpu}}
	}
	before := ProgramTotals{time: 0, by: map[int]programTotal{
		1: program(1, "init", time.Second), 7: program(7, "hog", 10*time.Second), 8: program(8, "gone", 3*time.Second), 9: program(9, "reused", time.Hour),
	}}
	measured := program(2, "subject", 5*time.Second)
	measured.measured = true
	after := ProgramTotals{time: second, by: map[int]programTotal{
		1: program(1, "init", time.Second+10*time.Millisecond), 2: measured,
		7: program(7, "hog", 10*time.Second+900*time.Millisecond), 9: program(9, "reused", 300*time.Millisecond), 10: program(10, "new", 400*time.Millisecond),
	}}
	got := after.Since(before)
	if got.CPU != 1610*time.Millisecond {
		t.Errorf("all used %v, want 1.61s", got.CPU)
	}
	var names []string
	for _, p := range got.Top {
		names = append(names, p.Name)
	}
	if want := []string{"hog", "new", "reused"}; !slices.Equal(names, want) || got.Top[0].CPU != 900*time.Millisecond {
		t.Errorf("got %+v, want %v", got.Top, want)
	}
}
