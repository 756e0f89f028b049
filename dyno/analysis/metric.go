package analysis

import (
	"fmt"
	"math"
	"strconv"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// figure computes a metric from the sums of one trial's usable windows, or says
// why it can't.
type figure struct {
	Metric
	// ranked is false for what is no merit of the subject.
	ranked bool
	of     func(*sums) (value float64, missing i18n.Message)
	// atLeast is what is known of a value that is missing; +Inf if it is worse than any
	// there is, as requests failed. nil if nothing ever is. Of a value that is the worst
	// it can be, it is the best.
	atLeast func(*sums) (least float64, ok bool)
}

// worst is the value for a trial in which the subject failed by its own fault. It is
// not ok for what is no merit of the subject.
func (f *figure) worst() (value float64, ok bool) {
	switch {
	case f.Name == errorsMetric:
		return 100, true
	case !f.ranked, f.Name == "executable", f.Name == "size": // which are as large as ever
		return 0, false
	case f.Better == string(stats.Higher):
		return 0, true
	}
	return math.Inf(1), true
}

// errorsMetric is the share of requests that failed.
const errorsMetric = "errors"

// quantiles are those computed of each clock that a user waits for.
var quantiles = [...]float64{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}

// figures returns all metrics in the order of a report.
func figures() []figure {
	all := []figure{
		ranked("throughput", "req/s", stats.Higher, (*sums).throughput),
		ranked("cpu", "µs/req", stats.Lower, (*sums).cpu),
		ranked("cpu.user", "µs/req", stats.Lower, (*sums).cpuUser),
		ranked("cpu.sys", "µs/req", stats.Lower, (*sums).cpuSys),
		ranked("rss", "bytes", stats.Lower, (*sums).rss),
		ranked("pss", "bytes", stats.Lower, (*sums).pss),
		{Metric: Metric{"threads", "threads", string(stats.Lower)}, of: (*sums).threads},
		{Metric: Metric{"open_files", "files", string(stats.Lower)}, of: (*sums).files},
		ranked("switches", "switches/req", stats.Lower, (*sums).switches),
		ranked("preemptions", "switches/req", stats.Lower, (*sums).preemptions),
		ranked("run_queue", "µs/req", stats.Lower, (*sums).runQueue),
		{Metric: Metric{"received", "bytes/req", string(stats.Lower)}, of: (*sums).received},
		ranked("start", "µs", stats.Lower, (*sums).start),
		ranked("executable", "bytes", stats.Lower, (*sums).executableSize),
		ranked("size", "bytes", stats.Lower, (*sums).builtSize),
		{Metric: Metric{"cpu.idle", "%", string(stats.Lower)}, of: (*sums).idleCPU},
		{Metric: Metric{errorsMetric, "%", string(stats.Lower)}, of: (*sums).errorShare, atLeast: (*sums).errorsAtLeast},
	}
	for _, clock := range []measure.Clock{measure.Response, measure.Service, measure.FirstByte} {
		all = append(all, times(clock)...)
	}
	all = append(all, ofRuntime()...)
	lag := quantile(measure.Lag, 0.99)
	lag.ranked = false
	return append(all, lag, figure{Metric: Metric{"generator.cpu", "µs/req", string(stats.Lower)}, of: (*sums).generatorCPU})
}

// warmUps is the figure of runs in which subjects warm up until they are steady.
func warmUps() figure {
	f := ranked("warmup", "µs", stats.Lower, (*sums).warmUpTime)
	f.atLeast = (*sums).warmUpAtLeast
	return f
}

// handshakes are the figures of loads over TLS, each kind of handshake separately.
func handshakes() (all []figure) {
	for _, clock := range []measure.Clock{measure.FullHandshake, measure.ResumedHandshake} {
		all = append(all, quantile(clock, 0.5), quantile(clock, 0.99))
	}
	return all
}

func ranked(name, unit string, better stats.Better, of func(*sums) (float64, i18n.Message)) figure {
	return figure{Metric: Metric{name, unit, string(better)}, ranked: true, of: of}
}

// times returns mean, quantiles and maximum of a clock.
func times(clock measure.Clock) []figure {
	of := func(name string, value func(*distribution) (float64, i18n.Message)) figure {
		f := ranked(clock.String()+"."+name, "µs", stats.Lower, func(s *sums) (float64, i18n.Message) {
			if why := s.unsettled(); !why.IsZero() {
				return 0, why
			}
			return value(s.distribution(clock))
		})
		f.atLeast = func(s *sums) (float64, bool) {
			return math.Inf(1), s.unsettled().IsZero() && s.distribution(clock).worst()
		}
		return f
	}
	list := []figure{of("mean", (*distribution).mean)}
	for _, q := range quantiles {
		list = append(list, quantile(clock, q))
	}
	return append(list, of("max", (*distribution).max))
}

func quantile(clock measure.Clock, q float64) figure {
	name := fmt.Sprintf("%s.p%s", clock, percentile(q))
	f := ranked(name, "µs", stats.Lower, func(s *sums) (float64, i18n.Message) {
		if why := s.unsettled(); clock != measure.Lag && !why.IsZero() {
			return 0, why
		}
		return s.distribution(clock).quantile(q)
	})
	f.atLeast = func(s *sums) (float64, bool) {
		if clock != measure.Lag && !s.unsettled().IsZero() {
			return 0, false
		}
		return s.distribution(clock).atLeast(q)
	}
	return f
}

// percentile writes a quantile as people name it: 0.999 is "99.9".
func percentile(q float64) string { return strconv.FormatFloat(percentOf(q), 'f', -1, 64) }
