package baseline

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/internal/i18n"
)

// ofDay is the baseline of a made-up run so many days later.
func ofDay(t testing.TB, day int) *Baseline {
	t.Helper()
	a, err := analysis.Analyse(analysistest.Run(uint64(3+day), "x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	a.Run.ID = fmt.Sprintf("run-%d", day)
	a.Run.Started = a.Run.Started.Add(time.Duration(day) * 24 * time.Hour)
	b, err := New("main", a, fmt.Sprintf("sha256:%064d", day))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Runs may be added in any order: the file is the same, and read back as it was.
func TestRunsOfSeveralDays(t *testing.T) {
	add := func(b *Baseline, days ...int) *Baseline {
		for _, day := range days {
			var err error
			if b, err = b.Add(ofDay(t, day)); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	b := add(ofDay(t, 0), 1, 2)
	src := text(t, b)
	if other := text(t, add(ofDay(t, 2), 0, 1)); other != src {
		t.Errorf("in another order:\n%s\nand\n%s", other, src)
	}
	back, err := Parse("dir/main.yaml", []byte(src))
	if err != nil || !reflect.DeepEqual(back, b) {
		t.Fatalf("%v\n%+v\n%+v", err, back, b)
	}
	if b.Days() != 3 || b.Run != "run-2" || len(b.Earlier) != 2 || b.Earlier[0].Run != "run-0" {
		t.Errorf("%d days, %s, %+v", b.Days(), b.Run, b.Earlier)
	}
	for _, part := range []string{"of 3 runs", "dyno baseline set main run-0", "dyno baseline add main run-2"} {
		if !strings.Contains(src, part) {
			t.Errorf("%q is missing:\n%s", part, src)
		}
	}
	cell := b.Find([2]string{b.Cells[0].Group, "x"})
	cpu := cell.Metrics["cpu"]
	byDay := b.ByDay(&cpu)
	for day := range 3 {
		one := ofDay(t, day).Find([2]string{b.Cells[0].Group, "x"}).Metrics["cpu"]
		if !slices.Equal(byDay[day], one.Values) {
			t.Errorf("day %d: %v, want %v", day, byDay[day], one.Values)
		}
	}
	if cpu.N != 18 || len(byDay) != 3 {
		t.Errorf("%d values, %d days", cpu.N, len(byDay))
	}
	for name, change := range map[string][2]string{
		"each":    {"each: [6, 6, 6]", "each: [6, 6, 5]"},
		"order":   {"run-0", "run 0"},
		"no each": {", each: [6, 6, 6]", ""},
	} {
		if broken := strings.ReplaceAll(src, change[0], change[1]); broken == src {
			t.Errorf("%s: nothing to change", name)
		} else if _, err := Parse("dir/main.yaml", []byte(broken)); err == nil {
			t.Errorf("%s: a broken file is read", name)
		}
	}
}

// Two runs of one day are one day.
func TestRunsOfOneDay(t *testing.T) {
	first, second := ofDay(t, 0), ofDay(t, 1)
	second.Started = first.Started.Add(time.Minute)
	b, err := first.Add(second)
	if err != nil {
		t.Fatal(err)
	}
	cpu := b.Cells[0].Metrics["cpu"]
	if byDay := b.ByDay(&cpu); b.Days() != 1 || len(byDay) != 1 || len(byDay[0]) != 12 {
		t.Errorf("%d days, %v", b.Days(), byDay)
	}
}

func TestAddRefuses(t *testing.T) {
	for why, change := range map[string]func(*Baseline){
		"is in baseline main already": func(b *Baseline) { b.Run = "run-0" },
		"another machine":             func(b *Baseline) { b.Machine = slices.Clone(b.Machine); b.Machine[0].Value = i18n.Verbatim("other") },
		"another study":               func(b *Baseline) { b.Study.Name = "other" },
		"another build":               func(b *Baseline) { b.Subjects = slices.Clone(b.Subjects); b.Subjects[0].Build = "sha256:9" },
		"has no x under":              func(b *Baseline) { b.Cells = b.Cells[1:] },
		"is not as in baseline":       func(b *Baseline) { b.Cells[0].Load = "sha256:9" },
	} {
		run := ofDay(t, 1)
		change(run)
		if _, err := ofDay(t, 0).Add(run); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// Two runs before and after midnight are of one day: what differs from day to day is
// not between them.
func TestDaysAreNoDates(t *testing.T) {
	for name, c := range map[string]struct {
		hours []float64 // after 21:00 UTC
		days  int
	}{
		"before and after midnight":   {[]float64{2.9, 3.1}, 1},
		"from evening to morning":     {[]float64{0, 3.5, 8}, 1},
		"at the same time of day":     {[]float64{0, 24, 48}, 3},
		"every six hours":             {[]float64{0, 6, 12, 18, 24, 30, 36, 42}, 3},
		"the next morning, and later": {[]float64{0, 14, 20, 38}, 3},
	} {
		b := &Baseline{Started: time.Date(2026, 3, 1, 21, 0, 0, 0, time.UTC)}
		began := b.Started
		for i, hours := range c.hours {
			if i > 0 {
				b.Earlier = append(b.Earlier, Earlier{Started: b.Started})
			}
			b.Started = began.Add(time.Duration(hours * float64(time.Hour)))
		}
		m := Metric{}
		for i := range c.hours {
			m.Values, m.Each = append(m.Values, float64(i)), append(m.Each, 1)
		}
		if got := b.ByDay(&m); b.Days() != c.days || len(got) != c.days || len(slices.Concat(got...)) != len(c.hours) {
			t.Errorf("%s: %d days, %v, want %d", name, b.Days(), got, c.days)
		}
	}
}
