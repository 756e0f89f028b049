package threshold

import (
	"slices"
	"strings"
	"testing"
)

var metrics = []string{"throughput", "cpu", "rss", "errors", "response.p99", "response.p99.9", "service.p99"}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  Threshold
		limit float64
		shown string
	}{
		{"cpu > +3%", Threshold{"cpu", 0.03}, 1.03, "cpu > +3%"},
		{"cpu>+3%", Threshold{"cpu", 0.03}, 1.03, "cpu > +3%"},
		{" throughput < -5 % ", Threshold{"throughput", -0.05}, 0.95, "throughput < -5%"},
		{"throughput < −12.5%", Threshold{"throughput", -0.125}, 0.875, "throughput < -12.5%"},
		{"response.p99 > +10%", Threshold{"response.p99", 0.1}, 1.1, "response.p99 > +10%"},
		{"p99 > +10%", Threshold{"response.p99", 0.1}, 1.1, "response.p99 > +10%"},
		{"p99.9 > +250%", Threshold{"response.p99.9", 2.5}, 3.5, "response.p99.9 > +250%"},
		{"rss > +0.1%", Threshold{"rss", 0.001}, 1.001, "rss > +0.1%"},
		{"errors > +0.5%", Errors(), 1.005, "errors > +0.5%"},
	} {
		got, err := Parse(c.text, metrics)
		if err != nil || got != c.want || got.Limit() != c.limit || got.String() != c.shown {
			t.Errorf("%q: %+v (%s, limit %v), %v", c.text, got, got, got.Limit(), err)
			continue
		}
		if again, err := Parse(got.String(), metrics); err != nil || again != got {
			t.Errorf("%q read back: %+v, %v", got, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"":                   "expected what is a regression",
		"cpu":                "expected what is a regression",
		"cpu > 3%":           "expected what is a regression",
		"cpu > +3":           "expected what is a regression",
		"cpu >= +3%":         "expected what is a regression",
		"cpu > +3% x":        "expected what is a regression",
		"cpu > +3ms":         "expected what is a regression",
		"cqu > +3%":          "did you mean cpu?",
		"frobnication > +3%": "there are throughput, cpu",
		"cpu > -3%":          "a rise is written > +3%, a fall < -3%",
		"cpu < -3%":          "less of cpu is better: write 'cpu > +3%'",
		"throughput > +3%":   "more of throughput is better: write 'throughput < -3%'",
		"throughput < -100%": "a fall is below 100%",
		"cpu > +0.01%":       "the least change is 0.1%",
		"cpu > +2000%":       "a rise at most 1000%",
		"errors > +100%":     "less than 100%",
		"errors < -1%":       "less of errors is better: write 'errors > +1%'",
	} {
		if got, err := Parse(text, metrics); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, why)
		}
	}
}

func TestParseList(t *testing.T) {
	got, err := ParseList("cpu > +3%, p99 > +10%", metrics)
	if err != nil || !slices.Equal(got, []Threshold{{"cpu", 0.03}, {"response.p99", 0.1}}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseList("cpu > +3%,", metrics); err == nil {
		t.Error("an empty threshold")
	}
	if _, err := ParseList(strings.Repeat("cpu > +3%,", 100), metrics); err == nil {
		t.Error("no bound")
	}
}

func TestDefaultsAreWhatParseReads(t *testing.T) {
	for _, d := range Defaults() {
		if got, err := Parse(d.String(), metrics); err != nil || got != d {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
}

// Whatever is read is written and read again as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"cpu > +3%", "throughput < −5%", "p99>+10.25%", "cpu > +1000%", "errors > +1%", "<<<"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text, metrics)
		if err != nil {
			return
		}
		if again, err := Parse(got.String(), metrics); err != nil || again != got {
			t.Errorf("%q: %+v is written %q and read %+v, %v", text, got, got, again, err)
		}
	})
}
