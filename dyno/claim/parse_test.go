package claim

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestParse reads expressions and writes them again.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"throughput[fiber] / throughput[nethttp] >= 2.3", ""},
		{"response.p99[tls=resumed] < 1.2 * response.p99[tls=off]", ""},
		{"knee(connections)[gnet] > 10000", ""},
		{"cpu[go/nano] <= 0.8 * cpu[go/fasthttp]", ""},
		{"throughput[request=hijack] / throughput[request=plaintext] ~ 1.37", "throughput[request=hijack] / throughput[request=plaintext] ~ 1.37 +- 10%"},
		{"a ~ 1.37 +- 5%", ""},
		{"a ~ 1.37 ± 0.05", "a ~ 1.37 +- 5%"},
		{"max(rate: response.p99.9 < 12ms)[go/nano] >= 12843", ""},
		{"max( rate :errors<1 % and cpu<=5us) >= 12.8k", "max(rate: errors < 1% and cpu <= 0.005ms) >= 12800"},
		{"a<1 and b ≥ 2 and c≤3", "a < 1 and b >= 2 and c <= 3"},
		{"(a+b)*2 < c-(d-e)", "(a + b) * 2 < c - (d - e)"},
		{"a / b / c > a / (b * c)", ""},
		{"-a * -2 < - (b)", "(0 - a) * (0 - 2) < 0 - b"},
		{"rss > 2MB and rss < 3 GiB", "rss > 2000000B and rss < 3221225472B"},
		{"t > 3 µs and t > 3 μs and t > 3us and t < 2s and t > 5ns", "t > 0.003ms and t > 0.003ms and t > 0.003ms and t < 2000ms and t > 5e-06ms"},
		{"throughput >= 12.5k/s", "throughput >= 12500/s"},
		{"throughput > 1.5M", "throughput > 1500000"},
		{"x > 1e3", "x > 1000"},
		{"rate / seconds > 1", ""},
		{"a[ go/x , env.GODEBUG=madvdontneed=1,load=steady ] > 1", `a[go/x, env.GODEBUG="madvdontneed=1", load=steady] > 1`},
		{`a[env.X="", env.Y="a, b]", "z=1"] > 1`, `a[env.X="", env.Y="a, b]", "z=1"] > 1`},
		{"a[build.flags='-ldflags=-s -w', x=''] > 1", `a[build.flags="-ldflags=-s -w", x=""] > 1`},
		{"a\n  <\n 1", "a < 1"},
		{"a > b published 65300 / 28400", ""},
		{"a / b ~ 1.37 +- 5% published 1.37 and c < 3ms floor d - e published 2ms", "a / b ~ 1.37 +- 5% published 1.37 and c < 3ms published 2ms floor d - e"},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if c.want == "" {
			c.want = c.text
		}
		if got := written(e); got != c.want {
			t.Errorf("%s\nis written %s\nwant       %s", c.text, got, c.want)
		}
	}
}

// written puts an expression into words again.
func written(e *Expression) string {
	var list []string
	for i := range e.Comparisons {
		list = append(list, e.Comparisons[i].String())
	}
	return strings.Join(list, " and ")
}

func TestTextOfComparisons(t *testing.T) {
	e, err := Parse(" a  < 1  and b[x] ~ 2\n +- 3%  and c > 1 ")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a < 1", "b[x] ~ 2 +- 3%", "c > 1"} {
		if got := e.Comparisons[i].Text; got != want {
			t.Errorf("comparison %d is %q, want %q", i, got, want)
		}
	}
	if e.Text != "a < 1 and b[x] ~ 2 +- 3% and c > 1" {
		t.Errorf("the whole is %q", e.Text)
	}
}

func TestParseProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "column 1: expected a metric or a number, got the end"},
		{"a", "column 2: expected <, <=, >, >= or ~, got the end (a claim compares, such as a / b >= 2.3)"},
		{"a > ", "column 5: expected a metric or a number, got the end"},
		{"a > 1 b", `column 7: expected the end, or "and", got "b"`},
		{"a > 1 and", "column 10: expected a metric or a number, got the end"},
		{"1 < a < 2", `column 7: expected one comparison, got a second "<" (write "a < b and b < c", or a range as 3us <= a <= 8us)`},
		{"a - b ~ 0us", `column 7: about zero is zero exactly: the tolerance is a share of the right side (that two figures are the same is claimed as a / b ~ 1 +- 5%)`},
		{"a ~ 0 +- 5%", `column 3: about zero is zero exactly: the tolerance is a share of the right side (that two figures are the same is claimed as a / b ~ 1 +- 5%)`},
		{"a = 1", `column 3: expected <, <=, >, >= or ~, got "=" (a claim compares, such as a / b >= 2.3)`},
		{"ä + $ > 1", `column 5: expected a metric or a number, got "$"`},
		{"(a > 1", `column 4: expected ")", got ">"`},
		{"a ~ 1 +- b", `column 10: expected a tolerance such as 5%, got "b"`},
		{"a ~ 1 +- 5ms", `column 10: expected a tolerance such as 5%, got "5ms"`},
		{"a > 1 +- 5%", `column 7: expected the end, or "and", got "+-"`},
		{"a[ > 1", `column 7: expected "]", got the end`},
		{"a[] > 1", `column 3: expected the name of a subject, or factor=level (write [subject, factor=level], and names that hold commas or brackets in "quotes")`},
		{"a[x=] > 1", `column 3: expected the name of a subject, or factor=level (write [subject, factor=level], and names that hold commas or brackets in "quotes")`},
		{`a["x] > 1`, `column 3: expected the name of a subject, or factor=level (write [subject, factor=level], and names that hold commas or brackets in "quotes")`},
		{"a[x='y] > 1", `column 3: expected the name of a subject, or factor=level (write [subject, factor=level], and names that hold commas or brackets in "quotes")`},
		{"a[x > 1", `column 8: expected "]", got the end`},
		{"min(rate: a < 1) > 2", `column 1: "min" is no function (there are knee(factor), max(factor: condition), sobol(metric, factor) and sobol.total(metric, factor))`},
		{"max(rate) > 2", `column 9: expected ":", got ")"`},
		{"knee() > 2", "column 6: expected the name of a factor"},
		{"knee(x: a < 1) > 2", `column 7: expected ")", got ":"`},
		{"and > 1", `column 1: expected a metric or a number, got "and"`},
		{"a > 1e999", `column 5: expected a metric or a number, got "1e999"`},
		{strings.Repeat("(", 100) + "a > 1", "column 51: expected at most 50 parentheses and signs within each other"},
		{strings.Repeat(" ", 5000), "column 1: expected UTF-8 text of at most 4096 bytes"},
		{"a > \xff", "column 1: expected UTF-8 text of at most 4096 bytes"},
	} {
		_, err := Parse(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// FuzzParse looks for texts that panic, errors without a place, and expressions
// that are written otherwise than they are read.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"throughput[fiber] / throughput[nethttp] >= 2.3", "max(rate: response.p99.9 < 12ms)[go/nano] >= 12843",
		"knee(connections)[gnet] > 10000", "a ~ 1.37 +- 5%", "-(a+2%)*3 MiB < b[x=\"\\n\"]", "1k/s>a and 2<b", "a[b", "1e", "((",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			if wrong := err.(*Error); wrong.Column < 1 || wrong.Column > utf8.RuneCountInString(text)+1 || wrong.What.IsZero() {
				t.Errorf("%q: %+v", text, wrong)
			}
			return
		}
		once := written(e)
		again, err := Parse(once)
		if err != nil {
			if len(once) > maxLength { // numbers are written at length
				return
			}
			t.Fatalf("%q is written %q: %v", text, once, err)
		}
		if twice := written(again); twice != once {
			t.Errorf("%q is written %q and then %q", text, once, twice)
		}
		check(e, made(2).Space(), nil) // must not panic
		Evaluate(&Claim{Expressions: []string{text}}, made(3), Options{})
	})
}
