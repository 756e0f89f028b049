package i18n

import (
	"strconv"
	"strings"
)

// encode writes messages into one text, as parts of another: each text of theirs behind
// its length.
func encode(list []Message) string {
	size := 0
	for i := range list {
		size += 12 + len(list[i].id) + len(list[i].english) + len(list[i].parts)
	}
	out := make([]byte, 0, size)
	for i := range list {
		for _, text := range [...]string{list[i].id, list[i].english, list[i].parts} {
			out = strconv.AppendInt(out, int64(len(text)), 10)
			out = append(append(out, ':'), text...)
		}
	}
	return string(out)
}

// decode returns the parts of a message.
func (m Message) decode() (list []Message) {
	rest := m.parts
	next := func() (text string) {
		digits, behind, _ := strings.Cut(rest, ":")
		n, _ := strconv.Atoi(digits) // encode wrote it
		text, rest = behind[:n], behind[n:]
		return text
	}
	for rest != "" {
		list = append(list, Message{id: next(), english: next(), parts: next()})
	}
	return list
}
