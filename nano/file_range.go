package nano

import (
	"strconv"
	"strings"
)

// maxRanges bounds how many ranges of one file are sent: each costs a part of
// its own, and many small ones cost more than the file (RFC 9110 17.15).
const maxRanges = 16

// byteRange is a part of a file.
type byteRange struct{ from, length int64 }

// rangeOutcome is what becomes of a Range field.
type rangeOutcome uint8

const (
	rangeIgnored     rangeOutcome = iota // the whole file
	rangePartial                         // 206
	rangeUnsatisfied                     // 416
)

// parseRange reads a Range field (RFC 9110 14.1.2) for a file of size bytes. What
// isn't one, another unit, more ranges than maxRanges, and ranges that add up to
// more than the file are ignored, as 14.2 allows.
func parseRange(value string, size int64) ([]byteRange, rangeOutcome) {
	unit, list, found := strings.Cut(value, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return nil, rangeIgnored
	}
	var ranges []byteRange
	var sum int64
	members := 0
	for one := range strings.SplitSeq(list, ",") {
		one = strings.Trim(one, " \t")
		if one == "" {
			continue // an empty list element
		}
		if members++; members > maxRanges {
			return nil, rangeIgnored
		}
		r, ok := parseOneRange(one, size)
		if !ok {
			return nil, rangeIgnored
		}
		if r.length > 0 {
			ranges = append(ranges, r)
			sum += r.length
		}
	}
	switch {
	case members == 0 || sum > size:
		return nil, rangeIgnored
	case len(ranges) == 0:
		return nil, rangeUnsatisfied
	}
	return ranges, rangePartial
}

// parseOneRange reads "from-to", "from-" or "-last". A range that lies beyond the
// end has no length.
func parseOneRange(s string, size int64) (byteRange, bool) {
	first, last, found := strings.Cut(s, "-")
	if !found || first == "" && last == "" {
		return byteRange{}, false
	}
	if first == "" {
		n, ok := parsePosition(last)
		n = min(n, size)
		return byteRange{size - n, n}, ok
	}
	from, ok := parsePosition(first)
	if !ok {
		return byteRange{}, false
	}
	to := size - 1
	if last != "" {
		end, ok := parsePosition(last)
		if !ok || end < from {
			return byteRange{}, false
		}
		to = min(to, end)
	}
	if from >= size {
		return byteRange{}, true
	}
	return byteRange{from, to - from + 1}, true
}

// parsePosition reads digits only. What is too large for an int64 is beyond the
// end of any file.
func parsePosition(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		n = 1<<63 - 1
	}
	return n, true
}

// contentRange is the value of Content-Range (RFC 9110 14.4).
func (r byteRange) contentRange(size int64) string {
	return "bytes " + strconv.FormatInt(r.from, 10) + "-" + strconv.FormatInt(r.from+r.length-1, 10) + "/" + strconv.FormatInt(size, 10)
}
