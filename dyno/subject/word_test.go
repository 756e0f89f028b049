package subject

import (
	"strings"
	"testing"
	"time"

	"dyno.example/internal/i18n"
)

// TestWordOfErrors: what is wrong with a service is not said of a subject.
func TestWordOfErrors(t *testing.T) {
	for _, spec := range []StartSpec{
		{}, {Shell: "x", Timeout: time.Hour}, {Shell: "x", Port: -1}, {Shell: "x", Ready: "ready"},
		{Shell: "x", Env: map[string]string{"A": "{{env}}"}}, {Command: []string{"./no/such/program"}}, {Shell: "exit 3", Dir: "no-such-folder"},
	} {
		for want, called := range map[string]i18n.Message{"subject queue": {}, "service queue": i18n.Verbatim("service queue")} {
			spec.Name, spec.Called = "queue", called
			_, err := Start(t.Context(), spec)
			if err == nil || strings.Count(err.Error(), "queue") != 1 || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v\nwant %q: %v", spec, want, err)
			}
		}
	}
}
