package loadcmd

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// What helps against one certificate does not against another.
func TestHints(t *testing.T) {
	const expired, unknown, other = "x509: certificate has expired or is not yet valid: current time", "x509: certificate signed by unknown authority", "x509: certificate is valid for a.example, not b.example"
	for _, c := range []struct {
		why  string
		want []string
		not  string
	}{
		{expired, []string{"-k accepts any"}, "--cacert"},
		{unknown, []string{"--cacert FILE", "-k any"}, "--server-name"},
		{other, []string{"--server-name NAME", "-k accepts any"}, "--cacert"},
		{"x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs", []string{"--server-name NAME"}, "--cacert"},
		{"connection refused", []string{"nobody listens there", "--wait 30s"}, "-k"},
		{"no response within 5s", []string{"no response within 5s"}, "-k"},
	} {
		got := WithHint(&request.UnreachableError{Target: "h:1", Why: i18n.Verbatim(c.why)}).Error()
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%q is missing in %q", part, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%q is in %q", c.not, got)
		}
	}
	// Who has waited isn't told to wait.
	refused := &request.UnreachableError{Target: "h:1", Why: i18n.Verbatim("connection refused")}
	if got := (&Flags{wait: time.Minute}).withHint(refused).Error(); !strings.Contains(got, "nobody listened there within 1m0s") || strings.Contains(got, "--wait 30s") {
		t.Error(got)
	}
	if got := new(Flags).withHint(refused).Error(); !strings.Contains(got, "--wait 30s") {
		t.Error(got)
	}
	plain := errors.New("x509: no error of connecting")
	if got := WithHint(plain); got != plain {
		t.Errorf("%v", got)
	}
}

// The kind of an error is not said twice.
func TestFirstError(t *testing.T) {
	for why, want := range map[string]string{"status 404 Not Found": "status 404 Not Found", "connection reset by peer": "status: connection reset by peer"} {
		r := &load.Result{FirstErrors: map[string]i18n.Message{"status": i18n.Verbatim(why), "reset": i18n.Verbatim("other")}}
		r.Total.Errors = measure.Errors{Status: 5, Reset: 2}
		if got := firstError(r); got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
