package objective

import "testing"

func TestErrorBound(t *testing.T) {
	for expression, want := range map[string]string{
		"p99 < 50ms":                        "p99 < 50ms, " + ErrorBound,
		"every window: p99 < 50ms":          "every window: p99 < 50ms, " + ErrorBound,
		"p99 < 50ms, errors < 5%":           "p99 < 50ms, errors < 5%",
		"p99 < 50ms, errors.timeout < 0.1%": "p99 < 50ms, errors.timeout < 0.1%",
	} {
		o, err := Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.WithErrorBound().String(); got != want {
			t.Errorf("%s is bounded as %s, want %s", expression, got, want)
		}
		if o.String() != expression {
			t.Errorf("%s became %s", expression, o)
		}
	}
}
