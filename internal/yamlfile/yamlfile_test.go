package yamlfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/i18n"
)

var form = Form{
	MostBytes: 4000, MostValues: 100, MostItems: 20, MostQuoted: 10, MostName: 12,
	Large: i18n.Verbatim("more than 4000 bytes"), Empty: i18n.Verbatim("empty"), Start: i18n.Verbatim("write something"), Second: i18n.Verbatim("a second document"), Repeats: i18n.Verbatim("repeats"),
	Shown:    func(text string) string { return strings.ReplaceAll(text, "secret", "***") },
	Choices:  func(valid []string) i18n.Message { return i18n.Verbatim("one of " + strings.Join(valid, " ")) },
	Duration: time.Duration.String,
}

// read reads a file of {n: whole number, b: boolean, d: duration, l: list of numbers}.
func read(src string) (string, Problems) {
	f := File{Form: &form, Path: "f"}
	root, ok := f.Read([]byte(src))
	var said []string
	if ok {
		for _, e := range root.Entries() {
			switch e.Key {
			case "n":
				said = append(said, fmt.Sprint(e.Value.Integer(1, 9)))
			case "b":
				said = append(said, fmt.Sprint(e.Value.Boolean()))
			case "d":
				said = append(said, e.Value.Duration(time.Second, time.Minute).String())
			case "l":
				for _, item := range e.Value.Items() {
					said = append(said, fmt.Sprint(item.Integer(1, 9)))
				}
			default:
				e.Unknown([]string{"n", "b", "d", "l", "listing"})
			}
		}
	}
	f.Problems.Sort()
	return strings.Join(said, " "), f.Problems
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, src, want, problems string }{
		{"all", "n: 3\nb: true\nd: 5s\nl: [1, 2]\n", "3 true 5s 1 2", ""},
		{"alias", "l: [&a 7, *a]\n", "7 7", ""},
		{"empty", "", "", "f: empty (write something)"},
		{"large", "#" + strings.Repeat(" ", 4000), "", "f: more than 4000 bytes"},
		{"not text", "n: \xff", "", "f:1:4: expected UTF-8 text, got byte 0xff"},
		{"syntax", "n: 3\nl: [1\n", "", "f:2: expected YAML: did not find expected ',' or ']' (close the bracket or brace, and quote a text that holds ? or a comma)"},
		{"second document", "n: 3\n---\nn: 4\n", "", "f:2: a second document"},
		{"alias of itself", "l: &a [*a]\n", "", "f:1:8: repeats (write it out)"},
		{"aliases of aliases", "a: &a [1,1,1,1]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n", "", "f:3:11: repeats (write it out)"},
		{"values", "l: [" + strings.Repeat("[1],", 60) + "]\n", "", "f:1:198: expected at most 100 values, got more"},
		{"unknown anchor", "n: *a\n", "", "f:1:4: expected an anchor &a before its use"},
		{"no mapping", "- 1\n", "", "f:1:1: expected fields (name: value), got a list"},
		{"twice", "n: 3\nn: 4\n", "3", "f:2:1: n: the field is given twice (remove one of them)"},
		{"key", "[a]: 3\n", "", "f:1:1: expected a field's name, got a list"},
		{"unknown, near", "listin: 1\n", "", `f:1:1: listin: unknown field (did you mean "listing"?)`},
		{"unknown, far", "zzzzz: 1\n", "", `f:1:1: zzzzz: unknown field (one of n b d l listing)`},
		{"long name", "abcdefghijklmno: 1\n", "", `f:1:1: "abcdefghij"…: unknown field (one of n b d l listing)`},
		{"fields", strings.Join(numbered(21, "f%d: 1\n"), ""), "", "f:1:1: expected at most 20 fields, got 21"},
		{"items", "l: [" + strings.Repeat("1,", 21) + "]\n", "", "f:1:4: l: expected at most 20 items, got 21"},
		{"item", "l: [1, 010]\n", "1 1", `f:1:8: l[1]: expected a whole number from 1 to 9, got "010"`},
		{"no list", "l: 5\n", "", `f:1:4: l: expected a list, got "5" (write it as [a, b] or one "- item" a line)`},
		{"values that aren't", "n: !!binary QQ==\nb: yes\nd: 5\n", "1 false 1s",
			"f:1:4: n: expected a whole number from 1 to 9, got a value with the tag \"!!binary\"\n" +
				"f:2:4: b: expected true or false, got \"yes\"\n" +
				"f:3:4: d: expected a duration from 1s to 1m0s, got \"5\" (write it with a unit, such as 500ms, 10s or 2m)"},
		{"secret", "n: my secret\n", "1", `f:1:4: n: expected a whole number from 1 to 9, got "my ***"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := read(tt.src)
			if got != tt.want || problems.Error() != tt.problems {
				t.Errorf("got %q and\n%s\nwant %q and\n%s", got, problems, tt.want, tt.problems)
			}
		})
	}
}

func numbered(n int, format string) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf(format, i))
	}
	return lines
}

func TestProblemsPrinted(t *testing.T) {
	problems := Problems(slices.Repeat([]Problem{At{Path: "f"}.Problem("", "wrong")}, MostPrinted+3))
	lines := strings.Split(problems.Error(), "\n")
	if len(lines) != MostPrinted+1 || lines[MostPrinted] != "… and 3 more problems" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	loud := problems[:1].Message().Map(strings.ToUpper)
	if loud.String() != "F: WRONG" {
		t.Errorf("as a message: %q", loud)
	}
}

// What is read twice says the same, and every problem is one line.
func FuzzRead(f *testing.F) {
	for _, src := range []string{"", "n: 3\nb: true\nd: 5s\nl: [1, 2]\n", "l: &a [*a]\n", "a: b: c\n", "---\n---\n", "? [a]\n: 1\n", "n: *a", "\"\\n\": 1", "{", "n: !!binary QQ==\n"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		said, problems := read(src)
		again, same := read(src)
		if said != again || !slices.Equal(problems, same) {
			t.Errorf("read again, it says %q and %v, first %q and %v", again, same, said, problems)
		}
		for _, p := range problems {
			if strings.ContainsAny(p.String(), "\n\x1b") {
				t.Errorf("more than a line: %q", p)
			}
		}
	})
}

// A path finds what it leads to, as far as the file goes, and notes nothing.
func TestFind(t *testing.T) {
	f := &File{Form: &form, Path: "f.yaml"}
	root, ok := f.Read([]byte("a: &x\n  - {b: [1, 2]}\n  - {b: 3}\nc: *x\n"))
	if !ok {
		t.Fatal(f.Problems)
	}
	for _, test := range []struct {
		path        []string
		name, value string
	}{
		{nil, "1:1 ", "1:1 "},
		{[]string{"a"}, "1:1 a", "1:4 a"},
		{[]string{"a", "[0]", "b", "[1]"}, "2:13 a[0].b[1]", "2:13 a[0].b[1]"},
		{[]string{"a", "[1]", "b"}, "3:6 a[1].b", "3:9 a[1].b"},
		{[]string{"a", "[1]", "b", "[0]"}, "3:6 a[1].b", "3:9 a[1].b"},
		{[]string{"c", "[1]", "b"}, "3:6 c[1].b", "3:9 c[1].b"},
		{[]string{"a", "[7]"}, "1:1 a", "1:4 a"},
		{[]string{"d", "e"}, "1:1 ", "1:1 "},
	} {
		name, value := root.Find(test.path...)
		show := func(p Place) string { return fmt.Sprintf("%d:%d %s", p.At().Line, p.At().Column, p.Field) }
		if show(name) != test.name || show(value) != test.value {
			t.Errorf("%q: got %q and %q, want %q and %q", test.path, show(name), show(value), test.name, test.value)
		}
	}
	if len(f.Problems) > 0 {
		t.Error(f.Problems)
	}
}
