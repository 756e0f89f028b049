package busy

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Describe says how busy each CPU is, and who is busy.
func Describe(w io.Writer, s *Survey, unknown error) {
	if s == nil {
		fmt.Fprintf(w, "Who is busy can't be told: %v\n\n", unknown)
		return
	}
	if text := s.String(); text != "" {
		fmt.Fprintf(w, "%s%s.\n\n", strings.ToUpper(text[:1]), text[1:])
		return
	}
	fmt.Fprintf(w, "Nobody is busy: no CPU was used more than 15 %% in %v.\n\n", s.Length.Round(time.Millisecond))
}
