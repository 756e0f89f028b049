// Package shell reads and writes the words of a command line as a POSIX shell
// does (XCU 2.2, quoting), without expanding anything.
package shell

import (
	"errors"
	"strings"
)

// ErrQuote says that a quotation is not closed, or that nothing follows a
// backslash.
var ErrQuote = errors.New("a quotation has no end")

// Split returns the words of text. Single quotes keep everything, double quotes
// everything but a backslash before one of the characters that mean something
// there, and outside of both a backslash keeps what follows it. A backslash at the
// end of a line, but in single quotes, joins it with the next. The words are
// copies.
func Split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case escapes(c, quote, text[i+1:]):
			if i++; i == len(text) {
				return nil, ErrQuote
			}
			if text[i] != '\n' {
				word.WriteByte(text[i])
				begun = true
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, ErrQuote
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// escapes reports whether c is a backslash that does not stand for itself.
func escapes(c, quote byte, rest string) bool {
	if c != '\\' || quote == '\'' {
		return false
	}
	return quote == 0 || rest != "" && strings.IndexByte("\"\\$`\n", rest[0]) >= 0
}

// harmless are the characters, other than letters and digits, into which no shell
// reads anything.
const harmless = "_@%+=:,./-"

// Quote returns word so that a shell reads exactly that word.
func Quote(word string) string {
	odd := func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(harmless, r)
	}
	if word != "" && !strings.ContainsFunc(word, odd) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join returns words as one line that [Split] takes apart again.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
