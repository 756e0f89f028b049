package validate

import (
	"github.com/go-playground/validator/v10"
)

// plainEmail reports whether an address is one of the usual form, dot-atom@host.name in
// ASCII (RFC 5321 4.1.2): the library's rule takes all of these, after some microseconds
// in a regular expression. Of others, such as quoted ones, it says nothing.
func plainEmail(s string) bool {
	at := -1 // of the @
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '@' && at < 0 && i > 0 && s[i-1] != '.':
			at = i
		case c == '.':
			if i == 0 || s[i-1] == '.' || s[i-1] == '@' {
				return false
			}
		case at < 0 && !inAtom[c]:
			return false
		case at >= 0 && !isLetter(c) && !isDigit(c) && c != '-':
			return false
		}
	}
	return at >= 0 && plainHost(s[at+1:])
}

// plainHost reports whether a name of letters, digits, hyphens and single dots has more
// than one label, none with a hyphen at an end, and a last one of letters.
func plainHost(s string) bool {
	labels, from := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '.' {
			continue
		}
		if i == from || s[from] == '-' || s[i-1] == '-' {
			return false
		}
		if labels++; i < len(s) {
			from = i + 1
		}
	}
	for _, c := range []byte(s[from:]) {
		if !isLetter(c) {
			return false
		}
	}
	return labels > 1
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// inAtom are the characters of an atom (RFC 5322 3.2.3).
var inAtom = func() (in [256]bool) {
	for c := range 256 {
		in[c] = isLetter(byte(c)) || isDigit(byte(c))
	}
	for _, c := range []byte("!#$%&'*+-/=?^_`{|}~") {
		in[c] = true
	}
	return in
}()

// emailRule is the library's rule, but that it lets usual addresses pass at once.
func emailRule() validator.Func {
	library := validator.New()
	return func(f validator.FieldLevel) bool {
		s := f.Field().String()
		return plainEmail(s) || library.Var(s, "email") == nil
	}
}
