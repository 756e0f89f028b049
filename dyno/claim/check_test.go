package claim

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	src := made(2)
	for _, c := range []struct{ text, want string }{
		{"throughput[a, rate=100, tls=off] > 5", ""},
		{"throughput[go/a, rate=0.1k, tls=off, load=steady, subject=a] > 5", "column 51: subject is chosen twice"},
		{"throughput[a, rate=100, tls=off] > 5/s", ""},
		{"throughput[a, rate=100, tls=off] * cpu[a, rate=100, tls=off] < 0.65", ""},
		{"throughput[a, rate=100, tls=off] * cpu[a, rate=100, tls=off] < 65%", ""},
		{"max(rate: response.p99 < 12ms)[a, tls=off] >= 12843", ""},
		{"max(rate: response.p99 < 12ms)[a, tls=off] >= throughput[b, tls=off, rate=400]", ""},
		{"max(rate: response.p99[tls=off] < 2 * response.p99[rate=100, tls=off])[a] >= 12843", ""},
		{"knee(rate)[a, tls=off] > 100", ""},
		{"goroutines[a, rate=100, tls=off] < 100", ""},

		{"throughput[a, rate=100, tls=off] > 2 * throughput[b, rate=100, tls=off] published 2.1", ""},
		{"throughput[a, rate=100, tls=off] > throughput[b, rate=100, tls=off] published 65300 / 28400", ""},
		{"cpu[a, rate=100, tls=off] < 5us published 4.9us", ""},
		{"cpu[a, rate=100, tls=off] < 0.5 * cpu[b, rate=100, tls=off] floor cpu[b, rate=200, tls=off] / cpu[a, rate=100, tls=off] published 0.5", ""},
		{"throughput[a, rate=100, tls=off] > 2 * throughput[b, rate=100, tls=off] published 3", "column 83: the published figure 3 is not what is claimed, > 2 (claim that figure, or the direction only, such as a > b)"},
		{"throughput[a, rate=100, tls=off] > throughput[b, rate=100, tls=off] published 0.9", "column 79: the published figure 0.9 is not on the side that is claimed, > 1"},
		{"5us * throughput[a, rate=100, tls=off] >= 2% published 2%", ""},
		{"5us * throughput[a, rate=100, tls=off] >= 2% published 400", "column 56: the published figure 400 is not what is claimed, >= 0.02 (claim that figure, or the direction only, such as a > b)"},
		{"5us * throughput[a, rate=100, tls=off] >= 2% published 2us", "column 56: a plain number can't be held against a time"},
		{"cpu[a, rate=100, tls=off] < 5us published 5", "column 43: a time can't be held against a plain number (write numbers with their unit, such as 12ms or 4MB)"},
		{"cpu[a, rate=100, tls=off] < 5us floor 5us", "column 39: nothing in this floor is measured (name the figure with an arm in it that does no work)"},
		{"max(rate: cpu[a, tls=off] < 5us published 4us) > 5", "column 27: a condition has no published figure and no floor (write them behind the whole comparison)"},

		{"1 < 2", "column 1: nothing in this comparison is measured (name a metric, such as throughput[go/nethttp])"},
		{"throughputt > 5", `column 1: there is no metric "throughputt" here (did you mean "throughput"?)`},
		{"throughput > 5", "column 1: 12 cells fit (choose a subject (go/a, go/b), rate= (100, 200, 400) and tls= (off, resumed))"},
		{"throughput[a, tls=off] > 5", "column 1: 3 cells fit (choose rate= (100, 200, 400))"},
		{"throughput[c] > 5", `column 12: there is no subject "c" here (did you mean "a"?)`},
		{"throughput[nonsense] > 5", `column 12: there is no subject "nonsense" here (there are go/a, go/b)`},
		{"throughput[a, resumed] > 5", `column 15: there is no subject "resumed" here (write tls=resumed)`},
		{"throughput[a, steady] > 5", `column 15: there is no subject "steady" here (write load=steady)`},
		{"throughput[a, load=stady] > 5", `column 15: there is no load "stady" here (did you mean "steady"?)`},
		{"throughput[a, rates=100] > 5", `column 15: there is no factor "rates" here (did you mean "rate"?)`},
		{"throughput[a, rate=300] > 5", `column 15: there is no level of rate "300" here (there are 100, 200, 400)`},
		{"response.p99[a, rate=100, tls=off] < 12", "column 36: a time can't be held against a plain number (write numbers with their unit, such as 12ms or 4MB)"},
		{"rss[a, rate=100, tls=off] < 12ms", "column 27: a size in bytes can't be held against a time"},
		{"rss[a, rate=100, tls=off] + 1 < 12MB", "column 27: a size in bytes can't be held against a plain number (write numbers with their unit, such as 12ms or 4MB)"},
		{"rss[a, rate=100, tls=off] * cpu[a, rate=100, tls=off] < 1ms", "column 55: a product of times and sizes can't be held against a time"},
		{"throughput[a, rate=100, tls=off] / (1 - 1) > 3", "column 34: division by zero"},
		{"throughput[a, rate=100, tls=off] / (0 * throughput[b, rate=100, tls=off]) > 3", "column 34: division by zero"},
		{"throughput[a, rate=100, tls=off] / (throughput[b, rate=100, tls=off] * (2 - 2)) > 3", "column 34: division by zero"},
		{"knee(speed) > 3", `column 6: there is no factor "speed" here (there are rate, tls)`},
		{"knee(tls)[a, rate=100] > 3", `column 6: the levels of tls are no numbers of one kind: "off"`},
		{"knee(rate)[a] > 3", "column 1: 2 cells fit (choose tls= (off, resumed))"},
		{"max(rate: max(rate: cpu < 3us) > 3)[a] > 3", "column 11: knee and max can't stand within each other"},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, problem := range check(e, src.Space(), nil) {
			got = append(got, problem.Error())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestASubjectsLastPartMustBeClear(t *testing.T) {
	s := SpaceOf(madeMetrics, []Cell{{Subject: "go/x"}, {Index: 1, Subject: "rust/x"}, {Index: 2, Subject: "go/x/y"}})
	for name, want := range map[string]string{"go/x": "go/x", "y": "go/x/y", "x/y": "go/x/y"} {
		if got, err := s.subject(name); err != nil || got != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if _, err := s.subject("x"); err == nil || !strings.Contains(err.What.String(), "go/x or rust/x") {
		t.Errorf("x: %v", err)
	}
}

// A design that does not measure every combination leaves less to choose.
func TestCellsThatDontExist(t *testing.T) {
	src := made(2)
	src.space = SpaceOf(madeMetrics, src.space.Cells[:1])
	for text, fine := range map[string]bool{"cpu > 1us": true, "cpu[tls=off] > 1us": true, "cpu[tls=resumed] > 1us": false} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if problems := check(e, src.Space(), nil); (len(problems) == 0) != fine {
			t.Errorf("%s: %v", text, problems)
		}
	}
}
