// Package i18n has messages as values: what a program says to people is an id with
// arguments, and how it reads in a language is a template of that id.
//
// The English template stands where the message is made, as a format that go vet checks,
// so that whoever reads the code reads the sentence. Those of other languages stand in a
// [Catalogue] by id. Rewording the English leaves the id, and with it the translations,
// as they are.
//
//	i18n.New("load.loop-away", "a load loop was away for %v (limit %v)", away, limit)
//
// An argument is kept as the text that its verb makes of it: a figure has the same digits
// in all languages, and those it had when it was archived. An argument that is a message
// itself, or an error that has one, stays a message.
package i18n

import (
	"fmt"
	"slices"
	"strings"
)

// Message is something said to people. The zero value says nothing.
type Message struct {
	id      string // empty for what reads the same in all languages, and for a sequence
	english string
	parts   []Message // the arguments; without an id, what the message is put together of
}

// New makes a message of an id, its English as a format of package fmt, and what is
// filled in.
func New(id, format string, args ...any) Message {
	return Message{id: id, english: fmt.Sprintf(format, args...), parts: arguments(format, args)}
}

// Verbatim is a text that reads the same in all languages: a name, a figure, what another
// program said.
func Verbatim(text string) Message { return Message{english: text} }

// Join puts messages together as they follow each other. What is neither a message nor an
// error with one reads the same in all languages, as fmt.Sprint writes it.
func Join(parts ...any) Message {
	var m Message
	var english strings.Builder
	for _, part := range parts {
		one := of(part)
		if one.IsZero() {
			continue
		}
		m.parts = append(m.parts, one)
		english.WriteString(one.english)
	}
	if len(m.parts) == 1 {
		return m.parts[0]
	}
	m.english = english.String()
	return m
}

// List puts messages together with a separator between them.
func List(separator string, items ...Message) Message {
	parts := make([]any, 0, 2*len(items))
	for i, item := range items {
		if i > 0 {
			parts = append(parts, separator)
		}
		parts = append(parts, item)
	}
	return Join(parts...)
}

// String is the message in English.
func (m Message) String() string { return m.english }

// IsZero reports whether the message says nothing.
func (m Message) IsZero() bool { return m.english == "" }

// ID is the message's id; empty if it has none of its own.
func (m Message) ID() string { return m.id }

// Equal reports whether two messages say the same with the same ids and arguments.
func (m Message) Equal(other Message) bool {
	return m.id == other.id && m.english == other.english && slices.EqualFunc(m.parts, other.parts, Message.Equal)
}

// Messager is what has a message: an [Error], or a value with a name in each language.
type Messager interface{ Message() Message }

// of is the message of an argument.
func of(arg any) Message {
	switch arg := arg.(type) {
	case Message:
		return arg
	case Messager:
		return arg.Message()
	case error:
		return From(arg)
	}
	return Verbatim(fmt.Sprint(arg))
}

// isMessage reports whether an argument stays a message.
func isMessage(arg any) bool {
	switch arg.(type) {
	case Message, Messager, error:
		return true
	}
	return false
}
