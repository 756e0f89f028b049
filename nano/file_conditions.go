package nano

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"dyno.example/nano/internal/exchange"
)

// condition is what the conditional fields of a request make of it.
type condition uint8

const (
	proceed condition = iota
	notModified
	failed
)

// version identifies one content of a file.
type version struct {
	etag     string // quoted, weak if the handler has set such a one; "" for none
	modified time.Time
}

// check evaluates the conditional fields in the order of RFC 9110 13.2.2, for
// GET and HEAD.
func (v *version) check(x *liveRequest) condition {
	if match := joined(x, "If-Match"); match != "" {
		if !v.matches(match, strongly) {
			return failed
		}
	} else if since, ok := httpDate(x.field("If-Unmodified-Since")); ok && !v.modified.IsZero() && v.seconds().After(since) {
		return failed
	}
	if none := joined(x, "If-None-Match"); none != "" {
		if v.matches(none, weakly) {
			return notModified
		}
	} else if since, ok := httpDate(x.field("If-Modified-Since")); ok && !v.modified.IsZero() && !v.seconds().After(since) {
		return notModified
	}
	return proceed
}

// rangeHolds evaluates If-Range (RFC 9110 13.1.5): whether a part still belongs to
// what the client has.
func (v *version) rangeHolds(x *liveRequest) bool {
	value := x.field("If-Range")
	if value == nil {
		return true
	}
	if date, ok := httpDate(value); ok {
		return !v.modified.IsZero() && v.seconds().Equal(date)
	}
	return v.etag != "" && !strings.HasPrefix(v.etag, "W/") && string(value) == v.etag
}

// seconds is the time as Last-Modified can say it.
func (v *version) seconds() time.Time { return v.modified.Truncate(time.Second) }

// comparison is strong or weak (RFC 9110 8.8.3.2).
type comparison bool

const (
	strongly comparison = false
	weakly   comparison = true
)

// matches reports whether a list of entity tags, or "*", names the version.
func (v *version) matches(list string, how comparison) bool {
	own, ownWeak := strings.CutPrefix(v.etag, "W/")
	for list = strings.TrimLeft(list, " \t,"); list != ""; list = strings.TrimLeft(list, " \t,") {
		if list[0] == '*' {
			return true
		}
		tag, weak := strings.CutPrefix(list, "W/")
		if tag == "" || tag[0] != '"' {
			return false
		}
		end := strings.IndexByte(tag[1:], '"')
		if end < 0 {
			return false
		}
		if tag[:end+2] == own && (!weak && !ownWeak || how == weakly) {
			return true
		}
		list = tag[end+2:]
	}
	return false
}

// joined returns the values of all fields of the name as one list.
func joined(x *liveRequest, name string) string {
	all := ""
	for i := range x.Req.Fields {
		if f := &x.Req.Fields[i]; exchange.SameName(f.Name.Of(x.Buf), name) {
			all += "," + string(f.Value.Of(x.Buf))
		}
	}
	return strings.TrimLeft(all, ",")
}

// httpDate reads a date in any of the three forms of RFC 9110 5.6.7.
func httpDate(value []byte) (time.Time, bool) {
	if len(value) == 0 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(string(value))
	return t, err == nil
}

// maxRanges bounds how many ranges of one file are sent: each costs a part of
// its own, and many small ones cost more than the file (RFC 9110 17.15).
const maxRanges = 16

// byteRange is a part of a file.
type byteRange struct{ from, length int64 }

// rangeOutcome is what a Range field leads to.
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
