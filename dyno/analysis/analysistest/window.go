package analysistest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
)

// pause is how long a collecting subject stops.
const pause = 20 * time.Millisecond

func (m *maker) window(index int, mono int64) archive.Window {
	collecting := (m.planned.Cell == 2 || m.planned.Cell == 5) && m.rand.IntN(2) == 0
	c := m.client(index, mono+int64(index)*int64(time.Second), collecting)
	return archive.Window{Client: c, Server: m.server(&c, collecting), Level: finding.Valid}
}

func (m *maker) client(index int, start int64, collecting bool) measure.Window {
	noise := math.Exp(0.01 * m.rand.NormFloat64())
	rate := 1.9e6 / m.cost * noise // two CPUs, 95 % busy
	median := Connections / rate * 1e9 * 0.93
	if index < 0 {
		rate, median = rate*0.8, median*1.25
	}
	if m.profile.Mode == profile.Open {
		rate, median = m.profile.Rate*noise, m.cost*4e3
	}
	n := uint64(rate)
	w := measure.Window{
		Index: index, Start: start, Length: time.Second, Offered: n, Sent: n, Completed: n,
		BytesIn: n * 152, BytesOut: n * 48, InFlight: rate * median * 1.075 / 1e9,
		CPUUser: time.Duration(float64(n) * 900), CPUSys: time.Duration(float64(n) * 3100),
		Stall: time.Duration(20+m.rand.IntN(200)) * time.Microsecond,
	}
	if m.planned.Cell == 7 {
		w.Errors.Timeout = 3
		w.Completed -= 3
	}
	if m.profile.Mode == profile.Open && m.planned.Cell == m.subjects-1 && m.planned.Block == 0 {
		w.Shed = n / 200
		w.Sent -= w.Shed
		w.Completed -= w.Shed
	}
	w.Hist = m.histograms(w.Completed, median, collecting)
	if index < 0 {
		w.Connects = Connections
		w.Hist[measure.Connect] = m.lognormal(Connections, 90e3, 0.3, 0)
	}
	return w
}

func (m *maker) histograms(n uint64, median float64, collecting bool) (h [measure.NumClocks]*hdrhistogram.Histogram) {
	stalled := 0.0
	if collecting {
		stalled = 0.015
	}
	// Three clocks of the same requests: the request that waits longest does so by all
	// three.
	same := func(median float64) *hdrhistogram.Histogram {
		requests := *m
		requests.rand = rand.New(rand.NewPCG(m.planned.Seed, n))
		return requests.lognormal(n, median, 0.35, stalled)
	}
	h[measure.Service] = same(median)
	h[measure.FirstByte] = same(median * 0.97)
	h[measure.Lag] = m.lognormal(n, 2e3, 0.5, 0)
	h[measure.Response] = same(median + 2e3)
	h[measure.Connect] = measure.NewHistogram()
	return h
}

// lognormal records n times with the median (ns) and log-scale deviation given;
// the share stalled of them waits for some of a pause as well. The body is
// drawn by strata, the slowest two percent one by one.
func (m *maker) lognormal(n uint64, median, deviation, stalled float64) *hdrhistogram.Histogram {
	const strata, body = 500, 0.98
	h := measure.NewHistogram()
	each := uint64(float64(n) * body / strata)
	low := float64(each*strata) / float64(n) // share of n that the strata stand for
	for i := range strata {
		if each > 0 {
			p := low * (float64(i) + m.rand.Float64()) / strata
			record(h, quantile(median, deviation, p), each)
		}
	}
	for range n - each*strata {
		v := quantile(median, deviation, low+(1-low)*m.rand.Float64())
		if m.rand.Float64() < stalled/(1-low) {
			v += float64(pause) * m.rand.Float64()
		}
		record(h, v, 1)
	}
	return h
}

func quantile(median, deviation, p float64) float64 {
	return median * math.Exp(deviation*math.Sqrt2*math.Erfinv(2*p-1))
}

func record(h *hdrhistogram.Histogram, ns float64, n uint64) {
	v := min(max(int64(ns), 1), h.HighestTrackableValue())
	if err := h.RecordValues(v, int64(n)); err != nil {
		panic("analysistest: " + err.Error()) // cannot happen: v is clamped
	}
}

func (m *maker) server(c *measure.Window, collecting bool) probe.Window {
	cpu := time.Duration(float64(c.Completed) * m.cost * 1e3)
	w := probe.Window{Start: c.Start, Length: c.Length}
	w.Machine = &probe.Machine{
		CPUs: 4, Busy: cpu + c.CPUUser + c.CPUSys, Steal: time.Duration(m.rand.IntN(4)) * time.Millisecond,
		Load1: 2.4, PressureCPU: time.Duration(m.rand.IntN(30)) * time.Millisecond,
	}
	if m.planned.Cell == 7 {
		return w
	}
	w.Process = &probe.Process{
		CPU: cpu, CPUUser: cpu * 2 / 5, CPUSys: cpu - cpu*2/5,
		RSS:       uint64(14+4*m.planned.Cell+c.Index)<<20 + uint64(m.rand.IntN(1<<18)),
		Processes: 1, Threads: 8, OpenFiles: Connections + 12,
		SwitchesVol: uint64(m.rand.IntN(20000)), SwitchesInvol: uint64(m.rand.IntN(900)),
		FaultsMinor: uint64(m.rand.IntN(50)), RunQueue: time.Duration(m.rand.IntN(80)) * time.Millisecond,
	}
	if m.planned.Cell == 2 || m.planned.Cell == 5 {
		w.Runtime = m.runtime(collecting)
	}
	return w
}

func (m *maker) runtime(collecting bool) *probe.Runtime {
	r := &probe.Runtime{
		Heap: 6<<20 + uint64(m.rand.IntN(1<<20)), AllocBytes: 80 << 20, AllocCount: 1 << 20, Goroutines: Connections + 6,
		SchedP50: 3 * time.Microsecond, SchedP99: 90 * time.Microsecond, SchedMax: time.Millisecond, HelperCPUus: 55,
	}
	if collecting {
		r.GCCycles, r.GCPause, r.GCPauseMax, r.GCCPU = 1, pause, pause, 3*pause
		r.SchedP99, r.SchedMax = pause, pause+pause/4
	}
	return r
}
