package nano

import (
	"bytes"
	"strings"

	"dyno.example/nano/internal/exchange"
)

// Accepts returns which of the offered media types the client likes best by its
// Accept fields (RFC 9110 12.5.1), the first offered of several it likes alike;
// "" if it takes none. A client that doesn't say takes any. Offers are in lower
// case and without parameters: "application/json".
func (c Ctx) Accepts(offers ...string) string {
	return best(c.live(), "accept", offers, matchMedia)
}

// AcceptsEncoding does the same for content codings (RFC 9110 12.5.3): "br",
// "gzip". It returns "" if the response is to be sent as it is, and when the client
// doesn't say.
func (c Ctx) AcceptsEncoding(offers ...string) string {
	x := c.live()
	if x.field("Accept-Encoding") == nil {
		return ""
	}
	return best(x, "accept-encoding", offers, matchToken)
}

// AcceptsLanguage does the same for languages, by the basic filter of RFC 4647
// 3.3.1: "en" in the request matches the offer "en-GB".
func (c Ctx) AcceptsLanguage(offers ...string) string {
	return best(c.live(), "accept-language", offers, matchLanguage)
}

// matcher rates how closely a range of the request matches an offer; 0: not.
type matcher func(of []byte, offer string) int

// best returns the offer of the highest quality.
func best(x *liveRequest, field string, offers []string, match matcher) string {
	at, highest, said := -1, 0, false
	for i, offer := range offers {
		q, some := quality(x, field, offer, match)
		said = said || some
		if q > highest {
			at, highest = i, q
		}
	}
	switch {
	case at >= 0:
		return offers[at]
	case !said && len(offers) > 0:
		return offers[0]
	}
	return ""
}

// quality returns the quality of an offer in thousandths: that of the range that
// matches it most closely. said is whether the request has the field at all.
func quality(x *liveRequest, field, offer string, match matcher) (q int, said bool) {
	closest := 0
	for i := range x.Req.Fields {
		f := &x.Req.Fields[i]
		if !exchange.SameName(f.Name.Of(x.Buf), field) {
			continue
		}
		said = true
		for rest := f.Value.Of(x.Buf); rest != nil; {
			var one []byte
			if one, rest = cutOutside(rest, ','); len(one) == 0 {
				continue
			}
			of, params := cutOutside(one, ';')
			if n := match(of, offer); n > closest {
				if v, ok := weight(params); ok {
					q, closest = v, n
				}
			}
		}
	}
	return q, said
}

// cutOutside cuts at the first sep that is not in a quoted string, and trims what
// is before. rest is nil without one.
func cutOutside(b []byte, sep byte) (first, rest []byte) {
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			quoted = !quoted
		case b[i] == '\\' && quoted:
			i++
		case b[i] == sep && !quoted:
			return bytes.Trim(b[:i], " \t"), b[i+1:]
		}
	}
	return bytes.Trim(b, " \t"), nil
}

// weight returns the q of parameters in thousandths, 1000 without one (RFC 9110
// 12.4.2). ok is false if it isn't a weight.
func weight(params []byte) (q int, ok bool) {
	for params != nil {
		var p []byte
		p, params = cutOutside(params, ';')
		if len(p) >= 2 && p[0]|0x20 == 'q' && p[1] == '=' {
			return thousandths(p[2:])
		}
	}
	return 1000, true
}

func thousandths(s []byte) (q int, ok bool) {
	if len(s) == 0 || len(s) > 5 || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return 0, false
	}
	q = int(s[0]-'0') * 1000
	unit := 100
	for _, c := range s[min(len(s), 2):] {
		if c < '0' || c > '9' {
			return 0, false
		}
		q += int(c-'0') * unit
		unit /= 10
	}
	return q, q <= 1000
}

func matchMedia(of []byte, offer string) int {
	kind, _, _ := strings.Cut(offer, "/")
	switch n := len(of); {
	case string(of) == "*/*":
		return 1
	case n > 2 && of[n-1] == '*' && of[n-2] == '/' && exchange.SameName(of[:n-2], kind):
		return 2
	case exchange.SameName(of, offer):
		return 3
	}
	return 0
}

func matchToken(of []byte, offer string) int {
	switch {
	case string(of) == "*":
		return 1
	case exchange.SameName(of, offer):
		return 2
	}
	return 0
}

func matchLanguage(of []byte, offer string) int {
	switch n := len(of); {
	case string(of) == "*":
		return 1
	case n <= len(offer) && exchange.SameName(of, offer[:n]) && (n == len(offer) || offer[n] == '-'):
		return 1 + n
	}
	return 0
}
