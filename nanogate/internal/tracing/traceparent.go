package tracing

import (
	"encoding/hex"

	"dyno.example/nanogate/internal/request"
)

// parent is what traceparent says (W3C Trace Context, Recommendation, 3.2).
type parent struct {
	trace [16]byte
	span  [8]byte
	flags byte
}

const (
	parentSize  = len("00-") + 32 + len("-") + 16 + len("-00")
	spanAt      = len("00-") + 32 + len("-")
	flagSampled = 1
)

// parseParent reads a traceparent field. What isn't as it should be is no parent at
// all; versions to come are read as far as they are known (3.2.4).
func parseParent(b []byte) (p parent, ok bool) {
	if len(b) < parentSize || b[2] != '-' || b[35] != '-' || b[52] != '-' {
		return p, false
	}
	var version, flags [1]byte
	if !lowerHex(version[:], b[:2]) || !lowerHex(p.trace[:], b[3:35]) || !lowerHex(p.span[:], b[36:52]) || !lowerHex(flags[:], b[53:55]) {
		return parent{}, false
	}
	switch {
	case version[0] == 0xff, version[0] == 0 && len(b) != parentSize, len(b) > parentSize && b[parentSize] != '-':
		return parent{}, false
	case p.trace == [16]byte{}, p.span == [8]byte{}:
		return parent{}, false
	}
	p.flags = flags[0]
	return p, true
}

// lowerHex decodes hexadecimal digits in lower case, of which there are twice as many
// as dst has bytes.
func lowerHex(dst, src []byte) bool {
	for i := range dst {
		high, low := digit(src[2*i]), digit(src[2*i+1])
		if high > 15 || low > 15 {
			return false
		}
		dst[i] = high<<4 | low
	}
	return true
}

func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 0xff
}

// parentOf reads the request's parent. Several of the field are none (3.2.1).
func parentOf(r *request.Request) (p parent, ok bool) {
	count := 0
	r.Headers("traceparent", func(value []byte) bool {
		p, ok = parseParent(value)
		count++
		return count < 2
	})
	return p, ok && count == 1
}

// appendParent appends the field's value, in version 0.
func appendParent(dst []byte, p *parent) []byte {
	dst = append(dst, "00-"...)
	dst = hex.AppendEncode(dst, p.trace[:])
	dst = append(dst, '-')
	dst = hex.AppendEncode(dst, p.span[:])
	return append(dst, '-', '0', '0'+p.flags&flagSampled)
}
