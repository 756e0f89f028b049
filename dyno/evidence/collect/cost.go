package collect

import (
	"math/rand/v2"
	"slices"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/stats"
)

// block is how many windows there are for each one in which the probes are off.
const block = 5

// offIn reports whether the probes are off in a window: one of each block, at random. None is
// the first of all, in which the kernel counts.
func offIn(window int, seed uint64) bool {
	if window < 0 {
		return false
	}
	place := rand.New(rand.NewPCG(seed, uint64(window/block))).IntN(block - 1)
	return window%block == place+1
}

// cost holds windows with the probes against windows without.
type cost struct {
	processes []*probe.ProcessProbe
	last      []probe.ProcessTotals
	window0   int // the window that last was read in
	cpu       map[int]float64
	completed map[int]float64
	p99       map[int]float64
}

// watch begins to read what the server's processes use.
func (c *cost) watch(pids []int) {
	c.cpu, c.completed, c.p99 = make(map[int]float64), make(map[int]float64), make(map[int]float64)
	c.window0 = -1
	for _, pid := range pids {
		c.processes = append(c.processes, probe.NewProcess(pid))
	}
}

// read notes what was used until a window, in which it is now, began.
func (c *cost) read(window int) {
	if window == c.window0 {
		return
	}
	totals := make([]probe.ProcessTotals, len(c.processes))
	used, whole := 0.0, len(c.processes) > 0
	for i, p := range c.processes {
		t, err := p.Snapshot()
		if err != nil {
			whole = false
			continue
		}
		totals[i] = t
		if c.last != nil {
			used += float64(t.Since(c.last[i]).CPU)
		}
	}
	if whole && c.last != nil && window == c.window0+1 {
		c.cpu[c.window0] = used
	}
	c.last, c.window0 = totals, window
	if !whole {
		c.last = nil
	}
}

// window takes what a window came to.
func (c *cost) window(w *measure.Window) {
	if w.Warmup() || w.Completed == 0 {
		return
	}
	c.completed[w.Index] = float64(w.Completed)
	if h := w.Hist[measure.Response]; h != nil && h.TotalCount() > 0 {
		c.p99[w.Index] = float64(h.ValueAtPercentile(99))
	}
}

// result compares each window without the probes with those of its block that had them. A
// window in which they were turned on or off has some of both, at its very beginning.
func (c *cost) result(off []int) *evidence.Cost {
	if len(off) == 0 {
		return nil
	}
	var r evidence.Cost
	var cpuOn, cpuOff, p99On, p99Off []float64
	for _, w := range off {
		first := w / block * block
		var cpu, p99 []float64
		for i := first; i < first+block; i++ {
			if slices.Contains(off, i) || c.completed[i] == 0 {
				continue
			}
			r.On++
			if c.cpu[i] > 0 {
				cpu = append(cpu, c.cpu[i]/c.completed[i])
			}
			p99 = append(p99, c.p99[i])
		}
		if c.completed[w] == 0 {
			continue
		}
		r.Off++
		if len(cpu) > 0 && c.cpu[w] > 0 {
			cpuOn, cpuOff = append(cpuOn, mean(cpu)), append(cpuOff, c.cpu[w]/c.completed[w])
		}
		if len(p99) > 0 {
			p99On, p99Off = append(p99On, mean(p99)), append(p99Off, c.p99[w])
		}
	}
	r.CPU, r.P99 = change(cpuOn, cpuOff), change(p99On, p99Off)
	return &r
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// change is nil if there is no interval.
func change(on, off []float64) *evidence.Change {
	if len(on) < 2 {
		return nil
	}
	i := stats.Ratio(on, off, 0.95)
	if i.Level == 0 {
		return nil
	}
	return &evidence.Change{Ratio: i.Estimate - 1, Low: i.Low - 1, High: i.High - 1}
}

func (c *cost) close() {
	for _, p := range c.processes {
		p.Close()
	}
}
