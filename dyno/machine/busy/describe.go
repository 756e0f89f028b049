package busy

import (
	"fmt"
	"io"
	"time"
	"unicode"
	"unicode/utf8"

	"dyno.example/internal/i18n"
)

// Describe says how busy each CPU is, and who is busy.
func Describe(w io.Writer, s *Survey, unknown error, say i18n.Say) {
	switch {
	case s == nil:
		fmt.Fprintf(w, "%s\n\n", say(i18n.New("busy.unknown", "Who is busy can't be told: %v", unknown)))
	case s.Busy():
		text := say(s.Message())
		first, size := utf8.DecodeRuneInString(text)
		fmt.Fprintf(w, "%c%s.\n\n", unicode.ToUpper(first), text[size:])
	default:
		fmt.Fprintf(w, "%s\n\n", say(i18n.New("busy.nobody", "Nobody is busy: no CPU was used more than 15 %% in %v.", s.Length.Round(time.Millisecond))))
	}
}
