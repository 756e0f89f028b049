package expect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// path leads from the root of a JSON document to one value, in a small part of
// RFC 9535: "$.name", "$['name']" (or with double quotes), "$[0]", and at the
// end ".length()", which counts the items of an array, the members of an object
// or the characters of a string. There are no wildcards, slices or filters: a
// path leads to one value or none.
type path struct {
	steps  []step
	length bool
}

// step goes to a member of an object or, with an empty name, to an item of an
// array.
type step struct {
	name  string
	index int
	item  bool
}

const maxSteps = 64

// parsePath reads a path at the start of text and returns what follows it.
func parsePath(text string) (p path, rest string, err error) {
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return p, "", errors.New(`a JSON path starts with "$", such as $.items[0].name`)
	}
	for rest != "" && rest[0] != ' ' {
		if p.length {
			return p, "", errors.New(".length() must end a JSON path")
		}
		if len(p.steps) == maxSteps {
			return p, "", fmt.Errorf("a JSON path has at most %d steps", maxSteps)
		}
		if after, ok := strings.CutPrefix(rest, ".length()"); ok {
			p.length, rest = true, after
			continue
		}
		var s step
		if s, rest, err = parseStep(rest); err != nil {
			return p, "", err
		}
		p.steps = append(p.steps, s)
	}
	return p, strings.TrimSpace(rest), nil
}

func parseStep(text string) (s step, rest string, err error) {
	switch {
	case strings.HasPrefix(text, "['"), strings.HasPrefix(text, `["`):
		end := strings.Index(text[2:], text[1:2]+"]")
		if end < 0 {
			return s, "", fmt.Errorf("%s lacks its closing %s]", text, text[1:2])
		}
		return step{name: text[2 : 2+end]}, text[2+end+2:], nil
	case strings.HasPrefix(text, "["):
		digits, rest, ok := strings.Cut(text[1:], "]")
		index, err := strconv.Atoi(digits)
		if !ok || err != nil || index < 0 || strings.HasPrefix(digits, "+") {
			return s, "", fmt.Errorf("%s is no index such as [0] or name such as ['a']", text)
		}
		return step{index: index, item: true}, rest, nil
	case strings.HasPrefix(text, "."):
		end := strings.IndexAny(text[1:], ".[ ")
		if end < 0 {
			end = len(text) - 1
		}
		if name := text[1 : 1+end]; name != "" && !strings.ContainsAny(name, `*?()'"`) {
			return step{name: name}, text[1+end:], nil
		}
	}
	return s, "", fmt.Errorf("%q is no step of a JSON path: expected .name, ['name'], [0] or .length()", text)
}
