// Package dynoprobe lets dyno see inside a Go program. A program under test
// imports it for its effect:
//
//	import _ "dynoprobe"
//
// Nothing happens unless the environment variable DYNO_PROBE_SOCKET names a
// unix socket. Then one goroutine connects to it, introduces itself with one
// line of JSON, and responds to each line "sample" with another: cumulative figures
// from [runtime/metrics]. It sleeps in between, ends quietly when the socket
// does, and neither logs nor panics.
//
// The first line tells the process and the histograms' buckets:
//
//	{"dynoprobe":1,"pid":7,"go":"go1.26.0","uppers":{"gc_pauses":[0,6.4e-08,…],"sched_latencies":[…]}}
//
// Bucket i ends at uppers[i], in seconds; the last bucket has no end and is not
// listed. A response gives the filled buckets as pairs of index and count:
//
//	{"mono":1,"gc_cycles":2,"gc_cpu_s":0.003,"heap":4,"alloc_bytes":5,"allocs":6,
//	 "goroutines":7,"lock_wait_s":0.2,"gc_pauses":[[30,2]],"sched_latencies":[[0,9],[12,1]],"self_us":8.5}
//
// mono is CLOCK_MONOTONIC in nanoseconds, heap and alloc_bytes are bytes,
// lock_wait_s are the seconds that goroutines waited for mutexes, added up, and self_us is what the previous response took, in µs.
package dynoprobe

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

func init() { start(os.Getenv("DYNO_PROBE_SOCKET")) }

// start serves the socket in the background and reports whether there is one.
func start(socket string) bool {
	if socket == "" {
		return false
	}
	go func() {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return
		}
		defer conn.Close()
		serve(conn)
	}()
	return true
}

// serve responds until conn fails or sends something that is not understood.
func serve(conn io.ReadWriter) {
	s := newSampler()
	if _, err := conn.Write(s.hello()); err != nil {
		return
	}
	lines := bufio.NewReaderSize(conn, 64)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil || string(bytes.TrimSpace(line)) != "sample" {
			return
		}
		begin := time.Now()
		if _, err := conn.Write(s.respond()); err != nil {
			return
		}
		s.took = time.Since(begin)
	}
}

// The metrics read, in the order of the sampler's slice.
const (
	gcCycles = iota
	gcCPU
	heap
	allocBytes
	allocObjects
	allocTiny
	goroutines
	lockWait
	gcPauses
	schedLatencies
	numMetrics
)

// sampler holds what is reused from one response to the next: after the first,
// responding allocates nothing.
type sampler struct {
	samples [numMetrics]metrics.Sample
	line    []byte
	took    time.Duration // by the previous response
}

func newSampler() *sampler {
	s := &sampler{line: make([]byte, 0, 4096)}
	for i, name := range [numMetrics]string{
		gcCycles:       "/gc/cycles/total:gc-cycles",
		gcCPU:          "/cpu/classes/gc/total:cpu-seconds",
		heap:           "/memory/classes/heap/objects:bytes",
		allocBytes:     "/gc/heap/allocs:bytes",
		allocObjects:   "/gc/heap/allocs:objects",
		allocTiny:      "/gc/heap/tiny/allocs:objects",
		goroutines:     "/sched/goroutines:goroutines",
		lockWait:       "/sync/mutex/wait/total:seconds",
		gcPauses:       "/sched/pauses/total/gc:seconds",
		schedLatencies: "/sched/latencies:seconds",
	} {
		s.samples[i].Name = name
	}
	return s
}

// hello renders the first line.
func (s *sampler) hello() []byte {
	metrics.Read(s.samples[:])
	b := append(s.line[:0], `{"dynoprobe":1,"pid":`...)
	b = strconv.AppendInt(b, int64(os.Getpid()), 10)
	b = append(b, `,"go":`...)
	b = strconv.AppendQuote(b, runtime.Version())
	b = append(b, `,"uppers":{"gc_pauses":`...)
	b = appendUppers(b, s.histogram(gcPauses))
	b = append(b, `,"sched_latencies":`...)
	b = appendUppers(b, s.histogram(schedLatencies))
	s.line = append(b, "}}\n"...)
	return s.line
}

// respond renders the current figures. The line is valid until the next call.
func (s *sampler) respond() []byte {
	metrics.Read(s.samples[:])
	b := append(s.line[:0], `{"mono":`...)
	b = strconv.AppendInt(b, monotonic(), 10)
	b = appendCount(b, `,"gc_cycles":`, s.count(gcCycles))
	b = appendFloat(b, `,"gc_cpu_s":`, s.float(gcCPU))
	b = appendCount(b, `,"heap":`, s.count(heap))
	b = appendCount(b, `,"alloc_bytes":`, s.count(allocBytes))
	// Tiny objects share blocks; only the blocks are counted with the others.
	b = appendCount(b, `,"allocs":`, s.count(allocObjects)+s.count(allocTiny))
	b = appendCount(b, `,"goroutines":`, s.count(goroutines))
	b = appendFloat(b, `,"lock_wait_s":`, s.float(lockWait))
	b = append(b, `,"gc_pauses":`...)
	b = appendFilled(b, s.histogram(gcPauses))
	b = append(b, `,"sched_latencies":`...)
	b = appendFilled(b, s.histogram(schedLatencies))
	b = appendFloat(b, `,"self_us":`, float64(s.took)/float64(time.Microsecond))
	s.line = append(b, "}\n"...)
	return s.line
}

// The three below give zero for a metric that this version of Go doesn't have.

func (s *sampler) count(i int) uint64 {
	if v := s.samples[i].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return 0
}

func (s *sampler) float(i int) float64 {
	if v := s.samples[i].Value; v.Kind() == metrics.KindFloat64 {
		return v.Float64()
	}
	return 0
}

func (s *sampler) histogram(i int) *metrics.Float64Histogram {
	if v := s.samples[i].Value; v.Kind() == metrics.KindFloat64Histogram {
		return v.Float64Histogram()
	}
	return &metrics.Float64Histogram{}
}

func appendCount(b []byte, key string, v uint64) []byte {
	return strconv.AppendUint(append(b, key...), v, 10)
}

func appendFloat(b []byte, key string, v float64) []byte {
	return strconv.AppendFloat(append(b, key...), v, 'g', -1, 64)
}

// appendUppers lists where the buckets end, except the last, whose end is
// infinite and so can't be said in JSON.
func appendUppers(b []byte, h *metrics.Float64Histogram) []byte {
	b = append(b, '[')
	for i := 1; i < len(h.Counts); i++ {
		if i > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, h.Buckets[i], 'g', -1, 64)
	}
	return append(b, ']')
}

// appendFilled lists the buckets that are not empty.
func appendFilled(b []byte, h *metrics.Float64Histogram) []byte {
	b = append(b, '[')
	first := true
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = strconv.AppendInt(append(b, '['), int64(i), 10)
		b = strconv.AppendUint(append(b, ','), n, 10)
		b = append(b, ']')
	}
	return append(b, ']')
}
