package jsonpb

import (
	"bytes"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Times and durations: messages of seconds, field 1, and nanoseconds, field 2, that are
// text in JSON (google/protobuf/timestamp.proto, google/protobuf/duration.proto).

const (
	leastTime    = -62135596800 // 0001-01-01T00:00:00Z
	mostTime     = 253402300799 // 9999-12-31T23:59:59Z
	mostDuration = 315576000000 // seconds; 10,000 years
	secondNanos  = int64(time.Second)

	tagSeconds = 1<<3 | byte(protowire.VarintType)
	tagNanos   = 2<<3 | byte(protowire.VarintType)
)

// timestamp reads a time of RFC 3339 that is in UTC, and written so.
func (r *reader) timestamp() bool {
	text, ok := r.string()
	if !ok || len(text) > len("2006-01-02T15:04:05.999999999Z") || !bytes.HasSuffix(text, []byte("Z")) {
		return false
	}
	var t time.Time
	if t.UnmarshalText(text) != nil || t.Unix() < leastTime || t.Unix() > mostTime {
		return false
	}
	r.span(t.Unix(), int64(t.Nanosecond()))
	return true
}

// duration reads seconds with a fraction of at most nine digits.
func (r *reader) duration() bool {
	text, ok := r.string()
	text, is := bytes.CutSuffix(text, []byte("s"))
	whole, fraction, cut := bytes.Cut(text, []byte("."))
	seconds, _, good := parseInteger(bytes.TrimPrefix(whole, []byte("-")))
	if !ok || !is || !good || seconds > mostDuration || bytes.HasPrefix(whole, []byte("--")) || cut && len(fraction) == 0 || len(fraction) > 9 {
		return false
	}
	nanos := int64(0)
	for i := range 9 {
		nanos *= 10
		if i < len(fraction) {
			if !isDigit(fraction[i]) {
				return false
			}
			nanos += int64(fraction[i] - '0')
		}
	}
	if whole[0] == '-' {
		r.span(-int64(seconds), -nanos)
	} else {
		r.span(int64(seconds), nanos)
	}
	return true
}

// span writes the fields of both.
func (r *reader) span(seconds, nanos int64) {
	if seconds != 0 {
		r.out = protowire.AppendVarint(append(r.out, tagSeconds), uint64(seconds))
	}
	if nanos != 0 {
		r.out = protowire.AppendVarint(append(r.out, tagNanos), uint64(nanos))
	}
}

// span reads the fields of both.
func (w *writer) span(m *Message, b []byte) (seconds, nanos int64, ok bool) {
	slots, ok := w.scan(m, b)
	if !ok {
		return 0, 0, false
	}
	for i := range m.fields {
		f := &m.fields[i]
		n, good := f.number64(w.slots[slots+i].of(b))
		if ok = ok && good; f.number == 1 {
			seconds = int64(n)
		} else {
			nanos = int64(n)
		}
	}
	w.slots = w.slots[:slots]
	return seconds, nanos, ok
}

// timestamp writes a time with as many digits as it needs, in threes.
func (w *writer) timestamp(m *Message, b []byte) bool {
	seconds, nanos, ok := w.span(m, b)
	if !ok || seconds < leastTime || seconds > mostTime || nanos < 0 || nanos >= secondNanos {
		return false
	}
	w.out = time.Unix(seconds, 0).UTC().AppendFormat(append(w.out, '"'), "2006-01-02T15:04:05")
	w.out = append(appendFraction(w.out, nanos), `Z"`...)
	return true
}

// duration writes one so too.
func (w *writer) duration(m *Message, b []byte) bool {
	seconds, nanos, ok := w.span(m, b)
	if !ok || seconds < -mostDuration || seconds > mostDuration || nanos <= -secondNanos || nanos >= secondNanos || seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return false
	}
	w.out = append(w.out, '"')
	if seconds < 0 || nanos < 0 {
		w.out = append(w.out, '-')
		seconds, nanos = -seconds, -nanos
	}
	w.out = strconv.AppendInt(w.out, seconds, 10)
	w.out = append(appendFraction(w.out, nanos), `s"`...)
	return true
}

// appendFraction appends nanoseconds as a part of a second: none, three, six or nine digits.
func appendFraction(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return dst
	}
	var digits [9]byte
	for i, n := 8, nanos; i >= 0; i, n = i-1, n/10 {
		digits[i] = '0' + byte(n%10)
	}
	n := 9
	for string(digits[n-3:n]) == "000" {
		n -= 3
	}
	return append(append(dst, '.'), digits[:n]...)
}
