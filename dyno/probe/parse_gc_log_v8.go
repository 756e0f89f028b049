package probe

import (
	"regexp"
	"strconv"
)

// v8Line is a collection as V8 prints it with --trace-gc, after any number of decorations
// of its own: which of the process's isolates, what kind of collection, the heap after it, and
// how long it stopped the isolate; behind that, of one whose marking went on in steps, how
// long these took together and the longest of them. Sizes are in MiB, times in ms:
//
//	[4572:0x559091e28000]       40 ms: Scavenge 3.2 (4.0) -> 2.3 (4.2) MB, pooled: 0.0 MB, 3.55 / 0.00 ms (average …
//	[4572:0x559091e28000]      140 ms: Mark-Compact 9.2 (12.0) -> 5.3 (9.2) MB, pooled: 0.0 MB, 1.20 / 0.00 ms  (+ 2.5 ms in 8 steps since start of marking, biggest step 0.6 ms, …
var v8Line = regexp.MustCompile(`^\[\d+:0x([0-9a-f]{1,16})[^\]]*\] +\d+ ms: [A-Z][A-Za-z() -]* \d[\d.]* \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB, (?:pooled: [\d.]+ MB, )?([\d.]+) / [\d.]+ ms(?: +\(\+ ([\d.]+) ms in \d+ steps since start of marking, biggest step ([\d.]+) ms)?`)

// maxIsolates is of how many isolates heaps are added up.
const maxIsolates = 64

// isolate is one of V8's heaps: a thread of JavaScript has one.
type isolate struct {
	address uint64 // 0 is none
	heap    uint64 // bytes after its last collection
}

// addV8 takes a line of V8's, and reports whether it is one.
func (c *collections) addV8(line []byte) bool {
	parts := v8Line.FindSubmatch(line)
	if parts == nil {
		return false
	}
	address, err := strconv.ParseUint(string(parts[1]), 16, 64)
	if err != nil || address == 0 || c.cycles >= mostEvents {
		return true
	}
	c.cycles++
	c.stopped(parts[3], parts[3])
	if len(parts[4]) > 0 {
		c.stopped(parts[4], parts[5])
	}
	if megabytes, err := strconv.ParseFloat(string(parts[2]), 64); err == nil && megabytes >= 0 && megabytes <= mostBytes>>20 {
		c.sizeIsolate(address, uint64(megabytes*(1<<20)))
	}
	return true
}

// stopped notes pauses of so many milliseconds together, and the longest of them.
func (c *collections) stopped(sum, longest []byte) {
	all, err := strconv.ParseFloat(string(sum), 64)
	if err != nil || fit("pause", all) != nil {
		return
	}
	most, err := strconv.ParseFloat(string(longest), 64)
	if err != nil || fit("pause", most) != nil {
		return
	}
	c.pauses = min(c.pauses+all/1e3, mostTime)
	c.longest = max(c.longest, min(most, all)/1e3)
}

// sizeIsolate notes an isolate's heap after a collection. The subject's is that of all; with
// more isolates than there is room for it is not known.
func (c *collections) sizeIsolate(address, heap uint64) {
	c.heap, c.sized = 0, false
	for i := range c.isolates {
		known := &c.isolates[i]
		if known.address == 0 {
			known.address = address
		}
		if known.address == address {
			known.heap, c.sized = heap, true
			break
		}
	}
	for i := range c.isolates {
		c.heap += c.isolates[i].heap
	}
}
