package probe

import (
	"bytes"
	"strconv"
)

// collections is what a runtime's log has of its collections since it began.
type collections struct {
	cycles   uint64
	pauses   float64 // seconds, added up
	longest  float64 // seconds; since it was last read
	heap     uint64  // bytes after the last collection, to a K or an M
	sized    bool    // a heap size was logged
	isolates [maxIsolates]isolate
}

// add takes a line of a JVM's log or V8's.
func (c *collections) add(line []byte) {
	if !c.addV8(line) {
		c.addJVM(line)
	}
}

// addJVM takes a line of the unified log (JEP 158 and JEP 271) at the level info: with the tag
// gc each collection ends with one, and with gc+phases ZGC logs its pauses. Whatever
// decorations it has are skipped, and so are lines of other kinds:
//
//	[1.234s] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(256M) 1.234ms
//	[1.234s] GC(8) Garbage Collection (Warmup) 208M(10%)->36M(2%)
//	[1.234s] GC(8) Y: Pause Mark Start 0.007ms
//
// The log is written by the program under test and is not trusted.
func (c *collections) addJVM(line []byte) {
	text, ok := bytes.CutPrefix(undecorated(line), []byte("GC("))
	if !ok {
		return
	}
	number, text, ok := bytes.Cut(text, []byte(") "))
	if !ok {
		return
	}
	id, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil || id >= mostEvents {
		return
	}
	c.cycles = max(c.cycles, id+1)
	if len(text) > 3 && text[1] == ':' { // the generation, in ZGC's
		text = text[3:]
	}
	words := bytes.Fields(text)
	if len(words) < 2 {
		return
	}
	c.size(words)
	if string(words[0]) == "Pause" {
		c.pause(words[len(words)-1])
	}
}

// undecorated returns what follows the brackets at the beginning of a line.
func undecorated(line []byte) []byte {
	for len(line) > 0 && line[0] == '[' {
		end := bytes.IndexByte(line, ']')
		if end < 0 {
			return nil
		}
		line = line[end+1:]
	}
	return bytes.TrimSpace(line)
}

// pause notes a pause that has ended; the line at its beginning has no time.
func (c *collections) pause(last []byte) {
	number, ok := bytes.CutSuffix(last, []byte("ms"))
	if !ok {
		return
	}
	milliseconds, err := strconv.ParseFloat(string(number), 64)
	if err != nil || fit("pause", milliseconds) != nil {
		return
	}
	c.pauses = min(c.pauses+milliseconds/1e3, mostTime)
	c.longest = max(c.longest, milliseconds/1e3)
}

// size notes the heap after a collection. Parts of the heap, which other tags log,
// don't count.
func (c *collections) size(words [][]byte) {
	switch string(words[0]) {
	case "Pause", "Concurrent", "Garbage", "Minor", "Major":
	default:
		return
	}
	for _, word := range words {
		_, after, ok := bytes.Cut(word, []byte("->"))
		if !ok {
			continue
		}
		if heap, ok := parseSize(after); ok {
			c.heap, c.sized = heap, true
		}
	}
}

const mostBytes = 1 << 50 // of a heap

// parseSize reads a size as the JVM prints it: 36M, whatever comes behind.
func parseSize(text []byte) (uint64, bool) {
	end := bytes.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:end]), 10, 64)
	power := bytes.IndexByte([]byte("BKMGT"), text[end])
	if err != nil || power < 0 || n > mostBytes>>(10*power) {
		return 0, false
	}
	return n << (10 * power), true
}
