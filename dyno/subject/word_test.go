package subject

import (
	"strings"
	"testing"
	"time"
)

// TestWordOfErrors: what is wrong with a service is not said of a subject.
func TestWordOfErrors(t *testing.T) {
	for _, spec := range []StartSpec{
		{}, {Shell: "x", Timeout: time.Hour}, {Shell: "x", Port: -1}, {Shell: "x", Ready: "ready"},
		{Shell: "x", Env: map[string]string{"A": "{{env}}"}}, {Command: []string{"./no/such/program"}}, {Shell: "exit 3", Dir: "no-such-folder"},
	} {
		for _, word := range []string{"", "service"} {
			spec.Name, spec.Word = "queue", word
			_, err := Start(t.Context(), spec)
			if err == nil || strings.Contains(err.Error(), "subject queue") != (word == "") {
				t.Errorf("%+v\nas %q: %v", spec, word, err)
			}
		}
	}
}
