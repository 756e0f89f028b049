package speed

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"dyno.example/dyno/machine"
)

// What a core of today and of the next years can do at most, and what the slowest
// does that may ever run this.
const most, least = 100, 0.001 // operations/ns

func TestMeasure(t *testing.T) {
	cpus := machine.OnlineCPUs()
	readings, err := Measure(cpus)
	if runtime.GOOS != "linux" {
		if !errors.Is(err, errors.ErrUnsupported) || readings != nil {
			t.Errorf("read %v, %v where threads can't be pinned", readings, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var seen []int
	for _, r := range readings {
		seen = append(seen, r.CPU)
		if r.Chain < least || r.Chain > most || r.Wide < least || r.Wide > most {
			t.Errorf("CPU %d: %g and %g operations/ns", r.CPU, r.Chain, r.Wide)
		}
	}
	if !slices.Equal(seen, cpus) {
		t.Errorf("read CPUs %v, want each of %v", seen, cpus)
	}
}

func TestMeasureWhatIsNotThere(t *testing.T) {
	if readings, err := Measure(nil); readings != nil || err != nil {
		t.Errorf("no CPU reads %v, %v", readings, err)
	}
	const none = 1 << 20
	if readings, err := Measure([]int{none}); readings != nil || err == nil {
		t.Errorf("CPU %d reads %v", none, readings)
	}
}

// The work is done, to the last turn.
func TestWork(t *testing.T) {
	for _, x := range []uint64{0, 1, 1 << 63} {
		want := x
		for range 5 {
			want *= 6364136223846793005
			want++
		}
		if got := chain(5, x); got != want {
			t.Errorf("chain(5, %d) = %d, want %d", x, got, want)
		}
		want = 0
		for lane := range uint64(7) {
			sum := x + lane
			for i := range uint64(5) {
				sum += i
				sum ^= x
			}
			want ^= sum
		}
		if got := wide(5, x); got != want {
			t.Errorf("wide(5, %d) = %d, want %d", x, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		operations, ns int64
		want           float64
	}{{4000, 1000, 4}, {10, 3, 3.3333}, {7, 0, 7}} {
		if got := rate(c.operations, c.ns); got != c.want {
			t.Errorf("%d in %d ns: %g, want %g", c.operations, c.ns, got, c.want)
		}
	}
}

// BenchmarkRead shows the speed of the CPU it runs on, as a metric.
func BenchmarkRead(b *testing.B) {
	var sum Reading
	for b.Loop() {
		r := read(0, each)
		sum.Chain += r.Chain
		sum.Wide += r.Wide
	}
	b.ReportMetric(sum.Chain/float64(b.N), "chain/ns")
	b.ReportMetric(sum.Wide/float64(b.N), "wide/ns")
}

func TestGlance(t *testing.T) {
	cpus := machine.OnlineCPUs()
	took, err := Glance(cpus[0])
	if runtime.GOOS != "linux" {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v where threads can't be pinned", err)
		}
		return
	}
	operations := float64(turns / 4 * (chainOperations + wideOperations))
	if rate := operations / float64(took); err != nil || rate < least || rate > most {
		t.Errorf("%v, %v: %g operations/ns", took, err, rate)
	}
	if took, err := Glance(1 << 20); took != 0 || err == nil {
		t.Errorf("a CPU that isn't there takes %v", took)
	}
}
