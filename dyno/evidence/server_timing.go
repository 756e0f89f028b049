package evidence

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// ServerTiming is a part of a request's time of which its service told in the response, in
// Server-Timing (W3C). Parts may overlap, and none says when it was.
type ServerTiming struct {
	Name string `json:"name"`
	Took int64  `json:"took"` // ns
	Text string `json:"text,omitempty"`
}

// TimingRoom is how many bytes are kept of a response's Server-Timing.
const TimingRoom = 512

const (
	mostTimings = 32      // parts of a response
	longest     = 1 << 40 // of a part, ns: some 18 minutes
)

var timingName = []byte("server-timing")

// AppendTimings appends the values of the fields Server-Timing of a response's head as HTTP/1.1 has it,
// with commas between them, as far as dst has room.
func AppendTimings(dst, head []byte) []byte {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, timingName) {
			dst = AppendTiming(dst, bytes.TrimSpace(value))
		}
	}
	return dst
}

// AppendTiming appends the value of one field, as far as dst has room; of one that is cut the last
// part, which isn't whole, is left out.
func AppendTiming(dst, value []byte) []byte {
	room := cap(dst) - len(dst)
	if len(dst) > 0 {
		room--
	}
	if len(value) > room {
		value = value[:max(bytes.LastIndexByte(value[:max(room, 0)], ','), 0)]
	}
	if len(value) == 0 {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return append(dst, value...)
}

// IsTiming reports whether a field is Server-Timing; its name is in lower case, as HTTP/2 has it.
func IsTiming(name []byte) bool { return bytes.Equal(name, timingName) }

// ParseTimings takes the parts with a duration from the value of Server-Timing; those of one name
// are one. What isn't well-formed is passed over.
func ParseTimings(value []byte) (parts []ServerTiming) {
	text := string(value)
	for text != "" && len(parts) < mostTimings {
		var one string
		one, text = cutUnquoted(text, ',')
		part, ok := parseTiming(one)
		if !ok {
			continue
		}
		parts = addTiming(parts, part)
	}
	return parts
}

func addTiming(parts []ServerTiming, part ServerTiming) []ServerTiming {
	for i := range parts {
		if parts[i].Name == part.Name {
			parts[i].Took = min(parts[i].Took+part.Took, longest)
			return parts
		}
	}
	return append(parts, part)
}

// parseTiming takes one part: a name with parameters.
func parseTiming(text string) (part ServerTiming, ok bool) {
	name, rest := cutUnquoted(text, ';')
	part.Name = strings.TrimSpace(name)
	if !isToken(part.Name) {
		return part, false
	}
	timed := false
	for rest != "" {
		var param string
		param, rest = cutUnquoted(rest, ';')
		key, value, has := strings.Cut(param, "=")
		value, whole := unquoted(strings.TrimSpace(value))
		if !has || !whole {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "dur":
			ms, err := strconv.ParseFloat(value, 64)
			if err == nil && ms >= 0 && ms <= longest/1e6 && !timed {
				part.Took, timed = int64(math.Round(ms*1e6)), true
			}
		case "desc":
			part.Text = value
		}
	}
	return part, timed
}

// cutUnquoted cuts a text at the first such byte that isn't in quotes.
func cutUnquoted(text string, at byte) (before, after string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == at && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// unquoted is the value of a parameter: a token, or what is in quotes (RFC 9110 5.6.4).
func unquoted(value string) (text string, ok bool) {
	if !strings.HasPrefix(value, `"`) {
		return value, true
	}
	var out strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			out.WriteByte(value[i])
		case c == '"':
			return out.String(), i == len(value)-1
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// isToken reports whether a text is a token (RFC 9110 5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return text != ""
}
