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

// Message is something said to people. The zero value says nothing. Messages can be
// compared with ==: they are equal if they say the same by the same ids and arguments.
type Message struct {
	id      string // empty for what reads the same in all languages, and for a sequence
	english string
	// parts are the arguments or, without an id, what the message is put together of; see
	// encode. They are a text so that a message is as plain a value as one.
	parts string
}

// New makes a message of an id, its English as a format of package fmt, and what is
// filled in.
func New(id, format string, args ...any) Message {
	return Message{id: id, english: fmt.Sprintf(format, said(args)...), parts: encode(arguments(format, args))}
}

// Format puts a message together by a format that is the same in all languages, such as
// "%s: %s (%d)".
func Format(format string, args ...any) Message {
	english := fmt.Sprintf(format, said(args)...)
	var list []any
	end, parts := 0, arguments(format, args)
	for _, at := range verb.FindAllStringIndex(format, -1) {
		list = append(list, format[end:at[0]])
		end = at[1]
		switch {
		case format[end-1] == '%':
			list = append(list, "%")
		case len(parts) == 0:
			return Verbatim(english)
		default:
			list, parts = append(list, parts[0]), parts[1:]
		}
	}
	return Join(append(list, format[end:])...)
}

// Verbatim is a text that reads the same in all languages: a name, a figure, what another
// program said.
func Verbatim(text string) Message { return Message{english: text} }

// Join puts messages together as they follow each other. What is neither a message nor an
// error with one reads the same in all languages, as fmt.Sprint writes it.
func Join(parts ...any) Message {
	var list []Message
	var english strings.Builder
	for _, part := range parts {
		if one := of(part); !one.IsZero() {
			list = append(list, one)
			english.WriteString(one.english)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return Message{english: english.String(), parts: encode(list)}
}

// List puts messages together with a separator between them. A comma or semicolon is the
// one that a language puts between clauses.
func List(separator string, items ...Message) Message {
	switch separator {
	case ", ":
		return list(New("list.comma", ", "), items)
	case "; ":
		return list(New("list.semicolon", "; "), items)
	}
	return list(Verbatim(separator), items)
}

// Names lists things of one kind, as "a, b, c", by the comma that a language has between
// them: Chinese has one of its own, 、.
func Names(items ...string) Message {
	names := make([]Message, len(items))
	for i, item := range items {
		names[i] = Verbatim(item)
	}
	return Enumerate(names...)
}

// Enumerate is [Names] of messages.
func Enumerate(items ...Message) Message { return list(New("list.enumeration", ", "), items) }

func list(separator Message, items []Message) Message {
	parts := make([]any, 0, 2*len(items))
	for i, item := range items {
		if i > 0 {
			parts = append(parts, separator)
		}
		parts = append(parts, item)
	}
	return Join(parts...)
}

// And lists messages: "a", "a and b" or "a, b and c".
func And(items ...Message) Message {
	last := len(items) - 1
	if last < 1 {
		return list(Message{}, items)
	}
	return New("list.and", "%s and %s", Enumerate(items[:last]...), items[last])
}

// Map returns the message with each of its texts as f has it: without the secrets in
// them, say.
func (m Message) Map(f func(text string) string) Message {
	parts := m.decode()
	for i := range parts {
		parts[i] = parts[i].Map(f)
	}
	return Message{id: m.id, english: f(m.english), parts: encode(parts)}
}

// Plural is the message for n things: one, or other.
func Plural(n int, one, other Message) Message {
	if n == 1 {
		return one
	}
	return other
}

// Say tells a message in a language. [Message.String] tells it in English.
type Say func(Message) string

// String is the message in English.
func (m Message) String() string { return m.english }

// IsZero reports whether the message says nothing.
func (m Message) IsZero() bool { return m.english == "" }

// Translates reports whether the message may read otherwise in another language.
func (m Message) Translates() bool { return m.id != "" || m.parts != "" }

// ID is the message's id; empty if it has none of its own.
func (m Message) ID() string { return m.id }

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

// said are arguments with what they say in place of those that have a message, and numbers as messages write them.
func said(args []any) []any {
	out := slices.Clone(args)
	for i, arg := range out {
		switch arg := arg.(type) {
		case float64:
			out[i] = figure(arg)
		case error:
		case Messager:
			out[i] = arg.Message()
		}
	}
	return out
}

// isMessage reports whether an argument stays a message.
func isMessage(arg any) bool {
	switch arg.(type) {
	case Message, Messager, error:
		return true
	}
	return false
}
