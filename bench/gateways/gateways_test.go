//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, wrong string
		requests    float64
	}{
		{"Running 3s test\n" + `{"requests": 1000, "errors": 1, "p99_us": 7}` + "\n", "", 1000},
		{"no server", "reported nothing", 0},
		{`{"requests": 0, "errors": 0}`, "no request", 0},
		{`{"requests": 1000, "errors": 2}`, "2 errors", 1000},
		{`{"requests": x`, "reading", 0},
	} {
		o, err := parse(c.text)
		if o.Requests != c.requests || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %+v, %v", c.text, o, err)
		}
	}
}
