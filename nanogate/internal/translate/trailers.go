package translate

import "dyno.example/nano/wire/http1"

// RequestTrailers takes out of a request's trailers, given as lines, what its head isn't
// sent on with: fields for this hop, those that the gateway writes, and those in the lists,
// which are in lower case, also spelt with underscores. Upstreams may merge trailers with
// the head (RFC 9110 6.5.1), where they would say who somebody is. It works in place.
func RequestTrailers(lines []byte, drops ...[]string) []byte {
	kept := lines[:0]
	for len(lines) > 0 {
		name, _, rest := http1.CutField(lines)
		line := lines[:len(lines)-len(rest)]
		if lines = rest; !Stripped(name) && !Unvouched(name, false, false) && !protected(name) && !Dropped(name, drops...) && !Disguised(name, drops...) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// ResponseTrailers takes out of a response's trailers, given as lines, the fields of a list,
// which is in lower case. It works in place.
func ResponseTrailers(lines []byte, drop []string) []byte {
	kept := lines[:0]
	for len(lines) > 0 {
		name, _, rest := http1.CutField(lines)
		line := lines[:len(lines)-len(rest)]
		if lines = rest; !Dropped(name, drop) {
			kept = append(kept, line...)
		}
	}
	return kept
}
