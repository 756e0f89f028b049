package objective

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for expression, want := range map[string]string{
		"p99<20ms":          "p99 < 20ms",
		"response.p99<20ms": "p99 < 20ms",
		" p99.9 < 12ms, errors < 0.1%,\tthroughput >= 4900/s ": "p99.9 < 12ms, errors < 0.1%, throughput >= 4900/s",
		"service.p50<=900us":                     "service.p50 <= 900us",
		"lag.max < 1 s":                          "lag.max < 1s",
		"first_byte.mean>1ns":                    "first_byte.mean > 1ns",
		"connect.p100 < 5µs":                     "connect.p100 < 5µs",
		"stddev<1.50ms":                          "stddev < 1.5ms",
		"errors.timeout == 0":                    "errors.timeout == 0",
		"throughput > 4.9k/s":                    "throughput > 4.9k/s",
		"throughput > 1M":                        "throughput > 1M",
		"sent >= 10k, completed > 0, shed == 0":  "sent >= 10k, completed > 0, shed == 0",
		"in_flight < 12.5":                       "in_flight < 12.5",
		"cpu < 20us":                             "cpu < 20us",
		"every window: p99 < 50ms":               "every window: p99 < 50ms",
		"100 % of windows: p99 < 50ms":           "every window: p99 < 50ms",
		"all windows:p99<50ms":                   "every window: p99 < 50ms",
		"95% of windows: p99 < 50ms,errors<1%":   "95% of windows: p99 < 50ms, errors < 1%",
		"99.9% of windows : p099.50 < 050.100ms": "99.9% of windows: p99.5 < 50.1ms",
	} {
		o, err := Parse(expression)
		if err != nil {
			t.Errorf("%q: %v", expression, err)
			continue
		}
		if got := o.String(); got != want {
			t.Errorf("%q is %q, want %q", expression, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for expression, want := range map[string]struct {
		column int
		why    string
	}{
		"":                                     {1, "expected a metric, such as p99"},
		"p99":                                  {4, "expected <, <=, >, >= or == and a limit"},
		"p99 < ":                               {7, "expected a number"},
		"p99 < -1ms":                           {7, `found "-1ms"`},
		"p99 < 1e3ms":                          {8, `"e" is no unit`},
		"p99 < 20":                             {9, "the unit is missing: it is a time; write 20 with ns, us, ms or s"},
		"p99 < 20min":                          {9, `"min" is no unit of a time`},
		"p99 < 20%":                            {9, `"%" is no unit of a time`},
		"p99 << 20ms":                          {6, `found "<"`},
		"p99 = 20ms":                           {5, "write =="},
		"p99 ~ 20ms":                           {5, `found "~"`},
		"p101 < 20ms":                          {1, "no metric"},
		"p0 < 20ms":                            {1, "no metric"},
		"p99. < 20ms":                          {1, "no metric"},
		"service.p9x < 20ms":                   {1, "service.p9"},
		"resposne.p99 < 20ms":                  {1, "did you mean response.p99?"},
		"p99 < 20ms, erors < 1%":               {13, "did you mean errors?"},
		"p99 < 20ms, errors.timout < 1%":       {13, "did you mean errors.timeout?"},
		"truoghput > 5":                        {1, "did you mean throughput?"},
		"frobnication > 5":                     {1, "there are [clock.]p50"},
		"errors < 101%":                        {13, "at most 100%"},
		"errors < 2":                           {11, "at most 100%"},
		"errors < 1ms":                         {11, "a share"},
		"throughput > 5ms":                     {15, "a rate"},
		"sent > 5/s":                           {9, "a count"},
		"p99 < 20ms errors < 1%":               {12, "expected a comma"},
		"p99 < 20ms,":                          {12, "expected a metric"},
		"µ < 20ms":                             {1, `found "µ"`},
		"p99 < 20µs, x":                        {13, "no metric"},
		"sometimes: p99 < 20ms":                {1, "every window:"},
		"95% of window: p99 < 20ms":            {1, "every window:"},
		"0% of windows: p99 < 20ms":            {1, "above 0%"},
		"101% of windows: p99 < 20ms":          {1, "above 0%"},
		"every window p99 < 20ms: ":            {14, "expected a colon"},
		"p99 < 1.1234567ms":                    {7, "decimals"},
		"p99 < 1234567890123456ns":             {7, "15 digits"},
		"p99 < .5ms":                           {7, "expected a number"},
		strings.Repeat("p99<1ms,", 20) + "p<1": {161, "no metric"},
		strings.Repeat("p99<1ms,", 21):         {168, "more than 20"},
		strings.Repeat("p", 1001):              {1001, "longer than"},
	} {
		o, err := Parse(expression)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v, %v; want a syntax error", expression, o, err)
			continue
		}
		if syntax.Column != want.column || !strings.Contains(syntax.Problem.String(), want.why) {
			t.Errorf("%q: column %d: %s; want column %d and %q", expression, syntax.Column, syntax.Problem, want.column, want.why)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"p99<20ms", "95.5% of windows: service.p99.99 <= 1.5us, errors.body == 0.1 %", "every window:throughput>4.9k/s,cpu<1µs", "p99 < 20", ":", "µ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		o, err := Parse(expression)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > len(expression)+1 {
				t.Fatalf("%q: error %v", expression, err)
			}
			return
		}
		text := o.String()
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q is %q, which is wrong: %v", expression, text, err)
		}
		if again.Windows != o.Windows || len(again.Conditions) != len(o.Conditions) {
			t.Fatalf("%q is %q, which is %+v, not %+v", expression, text, again, o)
		}
		for i, c := range o.Conditions {
			if again.Conditions[i] != c {
				t.Fatalf("%q is %q, whose condition %d is %+v, not %+v", expression, text, i, again.Conditions[i], c)
			}
		}
	})
}
