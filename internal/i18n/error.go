package i18n

import (
	"fmt"
	"strings"
)

// Error is an error with a message.
type Error struct {
	message Message
	wrapped error // by fmt, which knows what %w wraps
}

// Errorf is [fmt.Errorf] with an id: %w wraps, and the error has a message.
func Errorf(id, format string, args ...any) error {
	err := fmt.Errorf(format, said(args)...)
	return &Error{Message{id: id, english: err.Error(), parts: encode(arguments(format, args))}, err}
}

// Fail is an error that says a message.
func Fail(m Message) error { return &Error{message: m} }

func (e *Error) Error() string { return e.message.english }

// Message implements [Messager].
func (e *Error) Message() Message { return e.message }

// Unwrap returns what %w wraps, as [fmt.Errorf] has it.
func (e *Error) Unwrap() error { return e.wrapped }

// From is the message of an error. An error without one reads as it is, but for the
// messages of those it wraps, which stand in its text.
func From(err error) Message {
	switch err := err.(type) {
	case nil:
		return Message{}
	case Messager:
		return err.Message()
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			return around(err.(error).Error(), inner)
		}
	case interface{ Unwrap() []error }:
		return around(err.(error).Error(), err.Unwrap()...)
	}
	return Verbatim(err.Error())
}

// around is the text of an error with the messages of those it wraps in their places.
func around(text string, wrapped ...error) Message {
	var parts []any
	for _, err := range wrapped {
		before, after, found := strings.Cut(text, err.Error())
		if !found {
			continue // it tells its cause in other words
		}
		parts, text = append(parts, before, From(err)), after
	}
	return Join(append(parts, text)...)
}
