package stamp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// step goes to a member of an object or, with an empty name, to an item of an array.
type step struct {
	name  string
	index int
}

const (
	maxSteps = 16
	maxDepth = 64 // of the values that are passed over
)

// parsePath reads ".at", ".events[0].at" or the same after "$".
func parsePath(text string) (path []step, err error) {
	rest := strings.TrimPrefix(text, "$")
	if rest == "" {
		return nil, errors.New("the path is missing, as in json:.at")
	}
	for rest != "" {
		switch {
		case len(path) == maxSteps:
			return nil, fmt.Errorf("the path has more than %d steps", maxSteps)
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			name := rest[1 : 1+end]
			if name == "" || strings.ContainsAny(name, `"'*]`) {
				return nil, fmt.Errorf("%q is no step such as .at or [0]", rest)
			}
			path, rest = append(path, step{name: name}), rest[1+end:]
		case rest[0] == '[':
			digits, after, ok := strings.Cut(rest[1:], "]")
			index, err := strconv.ParseUint(digits, 10, 31)
			if !ok || err != nil {
				return nil, fmt.Errorf("%q is no step such as .at or [0]", rest)
			}
			path, rest = append(path, step{index: int(index)}), after
		default:
			return nil, fmt.Errorf("%q is no step such as .at or [0]", rest)
		}
	}
	return path, nil
}

// find returns the number or the text, without its quotes, that a path leads to. It
// reads no more of the JSON than it needs, and decodes no escapes: neither a number nor
// a stamp in quotes has any.
func find(b []byte, path []step) (value []byte, ok bool) {
	for _, s := range path {
		if b = blanks(b); len(b) == 0 {
			return nil, false
		}
		if s.name != "" {
			b, ok = member(b, s.name)
		} else {
			b, ok = item(b, s.index)
		}
		if !ok {
			return nil, false
		}
	}
	b = blanks(b)
	if len(b) > 0 && b[0] == '"' {
		n := quoted(b)
		if n < 2 {
			return nil, false
		}
		return b[1 : n-1], true
	}
	n := 0
	for n < len(b) && (isDigit(b[n]) || b[n] == '.') {
		n++
	}
	return b[:n], n > 0
}

// member returns the rest of an object from the value of a name on.
func member(b []byte, name string) ([]byte, bool) {
	if b[0] != '{' {
		return nil, false
	}
	for b = blanks(b[1:]); len(b) > 0 && b[0] == '"'; {
		n := quoted(b)
		if n < 2 {
			return nil, false
		}
		key := b[1 : n-1]
		if b = blanks(b[n:]); len(b) == 0 || b[0] != ':' {
			return nil, false
		}
		if b = blanks(b[1:]); string(key) == name {
			return b, true
		}
		n = skip(b)
		if b = blanks(b[n:]); n == 0 || len(b) == 0 || b[0] != ',' {
			return nil, false
		}
		b = blanks(b[1:])
	}
	return nil, false
}

// item returns the rest of an array from an item on.
func item(b []byte, index int) ([]byte, bool) {
	if b[0] != '[' {
		return nil, false
	}
	for b = blanks(b[1:]); len(b) > 0 && b[0] != ']'; index-- {
		if index == 0 {
			return b, true
		}
		n := skip(b)
		if b = blanks(b[n:]); n == 0 || len(b) == 0 || b[0] != ',' {
			return nil, false
		}
		b = blanks(b[1:])
	}
	return nil, false
}

func blanks(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// quoted returns the length of the text at the start of b with its quotes; 0 if it
// doesn't end.
func quoted(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// skip returns the length of the value at the start of b; 0 if it doesn't end.
func skip(b []byte) int {
	depth := 0
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			n := quoted(b[i:])
			if n == 0 {
				return 0
			}
			i += n
		case '{', '[':
			if depth++; depth > maxDepth {
				return 0
			}
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return 0
}
