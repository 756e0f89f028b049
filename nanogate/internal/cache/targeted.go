package cache

import (
	"strconv"

	"github.com/dunglas/httpsfv"

	"dyno.example/nano/wire/http1"
)

// MostTargets is how many fields a policy may look for in place of Cache-Control.
const MostTargets = 4

// target is which of the policy's targets a field is; -1: none.
func (p *Policy) target(name []byte) int {
	for i, lower := range p.Targets {
		if len(name) == len(lower) && http1.EqualFold(name, lower) {
			return i
		}
	}
	return -1
}

// choose has the first targeted field that says something count in place of what
// Cache-Control and Expires say (RFC 9213 2.2).
func (s *responseFields) choose() {
	for _, lines := range s.targeted {
		if d, ok := readTargeted(lines); ok {
			s.control, s.hasExpires = d, false
			return
		}
	}
}

// readTargeted reads the lines of a targeted field, which are one dictionary (RFC 9651 3.2).
// ok is false if it is empty or no dictionary: then it is ignored (RFC 9213 2.1). A time
// that isn't an integer errs on the safe side, as it does in Cache-Control.
func readTargeted(lines []string) (d Directives, ok bool) {
	members, err := httpsfv.UnmarshalDictionary(lines)
	if err != nil || len(members.Names()) == 0 {
		return d, false
	}
	d = NoDirectives
	for _, name := range members.Names() {
		member, _ := members.Get(name)
		argument := noTime
		if item, is := member.(httpsfv.Item); is {
			switch v := item.Value.(type) {
			case bool:
				if !v {
					continue
				}
				argument = nil
			case int64:
				argument = strconv.AppendInt(nil, v, 10)
			}
		}
		d.take([]byte(name), argument)
	}
	return d, true
}

// noTime stands for a value that isn't an integer.
var noTime = []byte("-")
