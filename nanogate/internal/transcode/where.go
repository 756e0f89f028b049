package transcode

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno.example/internal/descriptors"
)

// position is how the protobuf library says where in a text something is wrong.
var position = regexp.MustCompile(`^(syntax error )?\(line (\d+):(\d+)\): `)

// wrongJSON says what is wrong with a body. prefix is the field that the body is.
func wrongJSON(body []byte, err error, prefix string) *Wrong {
	w := &Wrong{Field: prefix, Text: descriptors.Plain(err)}
	m := position.FindStringSubmatch(w.Text)
	if m == nil {
		return w
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	field := fieldAt(body, offsetOf(body, line, column))
	switch {
	case prefix == "":
		w.Field = field
	case strings.HasPrefix(field, "[") || field == "":
		w.Field += field
	default:
		w.Field += "." + field
	}
	if w.Field != "" && m[1] == "" {
		w.Text = w.Text[len(m[0]):] // the field says where
	}
	return w
}

// offsetOf is the index of a column, which counts runes, in a line; both begin at 1.
func offsetOf(b []byte, line, column int) (at int) {
	for ; line > 1 && at < len(b); at++ {
		if b[at] == '\n' {
			line--
		}
	}
	for ; column > 1 && at < len(b); column-- {
		_, n := utf8.DecodeRune(b[at:])
		at += n
	}
	return at
}

// mostLevels bounds how deep JSON is followed for a message.
const mostLevels = mostNesting + 1

// level is an object or a list that JSON is within.
type level struct {
	key   string
	index int // of a list
	list  bool
	named bool // an object's key has come
}

// fieldAt is the path of the value at an index of JSON, such as "user.tags[2]", "" for the
// top level. The text before the index is well formed.
func fieldAt(b []byte, at int) string {
	var levels []level
	for i := 0; i < len(b); {
		top := (*level)(nil)
		if len(levels) > 0 {
			top = &levels[len(levels)-1]
		}
		switch c := b[i]; c {
		case ' ', '\t', '\n', '\r', ':':
			i++
		case '{', '[':
			if i >= at {
				return pathOf(levels)
			}
			if len(levels) == mostLevels {
				return ""
			}
			levels = append(levels, level{list: c == '['})
			i++
		case '}', ']':
			if i >= at || top == nil {
				return pathOf(levels)
			}
			levels = levels[:len(levels)-1]
			i++
		case ',':
			if i >= at || top == nil {
				return pathOf(levels)
			}
			top.index++
			top.named = false
			i++
		default:
			next := tokenEnd(b, i)
			if top != nil && !top.list && !top.named && c == '"' {
				top.key, top.named = keyOf(b[i:next]), true
			}
			if next > at {
				return pathOf(levels)
			}
			i = next
		}
	}
	return pathOf(levels)
}

// tokenEnd is where the text, number or word ends that begins at i.
func tokenEnd(b []byte, i int) int {
	if b[i] != '"' {
		for i++; i < len(b) && strings.IndexByte(" \t\n\r:,{}[]\"", b[i]) < 0; i++ {
		}
		return i
	}
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// keyOf is a key as messages show it.
func keyOf(token []byte) string {
	const most = 60
	text := strings.ToValidUTF8(strings.Trim(string(token), `"`), "")
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func pathOf(levels []level) string {
	var path strings.Builder
	for i := range levels {
		switch l := &levels[i]; {
		case l.list:
			path.WriteString("[" + strconv.Itoa(l.index) + "]")
		case l.named:
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(l.key)
		}
	}
	return path.String()
}
