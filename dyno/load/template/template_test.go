package template

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func users(t testing.TB) *Env {
	t.Helper()
	table, err := ReadCSV("users.csv", strings.NewReader("id,full.name\n1,Ann\n2,\"Bo \"\"B\"\"\"\n3,C&D é\n"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{
		Feeds:  []*Feed{{Name: "users", Table: table}},
		Getenv: func(name string) (string, bool) { return "it's {{" + name, name == "HOME" },
	}
}

func TestRender(t *testing.T) {
	env := users(t)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain } {a}", "plain } {a}"},
		{"{{int 7 7}}", "7"},
		{"a{{int -1000 -1}}b", `a-\d{1,4}b`},
		{"{{string 12}}", "[0-9A-Za-z]{12}"},
		{"{{hex 17}}.", `[0-9a-f]{17}\.`},
		{"{{ uuid }}", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"},
		{`{{choice "a b" c}}`, "a b|c"},
		{`{{json choice "a\"b"}}`, `"a\\"b"`},
		{`{{url choice "a b/é"}}`, "a%20b%2F%C3%A9"},
		{"{{seq}} {{seq 100}}", "3 103"},
		{"{{timestamp}} {{timestamp unix}} {{timestamp unix-ms}} {{timestamp rfc3339}}", "1600000000 1600000000 1600000000123 2020-09-13T12:26:40.123Z"},
		{"{{env HOME}}", "it's {{HOME"},
		{"{{url env HOME}}", "it%27s%20%7B%7BHOME"},
		{"{{feed.users.id}}={{feed.users.full.name}}", `1=Ann`},
		{`{{"{{"}}{{"}}\n"}}`, "{{}}\n"},
		{`{{json "\u0001\\é"}}`, `"\\u0001\\\\é"`},
	} {
		tpl, err := Compile(c.text, env)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		s := env.NewState(1, 0, 3)
		s.Now = 1600000000123456789
		s.Advance(tpl.Uses())
		s.Advance(Uses{sequence: tpl.uses.sequence}) // the second of one of three loops
		got := string(tpl.Append(nil, s))
		want := regexp.MustCompile("^(?s:" + strings.NewReplacer("{{", `\{\{`, "}}", `\}\}`).Replace(c.want) + ")$")
		if got != c.want && !want.MatchString(got) {
			t.Errorf("%s gives %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	env := users(t)
	for text, want := range map[string]string{
		"a{{":                     `"{{" lacks its closing }}; write {{"{{"}} for two braces that are meant as such`,
		`{{choice "}}`:            `"{{choice \"}}" lacks its closing }}`,
		"{{}}":                    "{{}}: is empty",
		"{{nope 1}}":              `{{nope 1}}: there is no placeholder "nope"; expected int, string`,
		"{{int 5 1}}":             "the highest number, 1, is below the lowest, 5",
		"{{int 5}}":               "lacks a number",
		"{{int a 5}}":             `"a" is not a whole number from`,
		"{{int 1 2 3}}":           "has 3 arguments, expected 2",
		"{{string 0}}":            `"0" is not a whole number from 1 to 1048576`,
		"{{string}}":              "lacks a number",
		"{{uuid 4}}":              "has 1 arguments, expected 0",
		"{{timestamp iso}}":       `"iso" is no form of a timestamp; expected unix, unix-ms or rfc3339`,
		"{{choice}}":              "has 0 texts",
		`{{choice "a}}`:           "lacks its closing",
		`{{choice "\q"}}`:         "is not a text in quotes",
		"{{env NOPE}}":            "environment variable NOPE is not set",
		"{{feed.users}}":          "names no column; write it as {{feed.users.name}}",
		"{{feed.user.id}}":        `there is no feed "user"; given are users`,
		"{{feed.users.age}}":      `users.csv has no column "age"; it has id, full.name`,
		"{{feed.users.id 1}}":     `"1" follows a feed's column; expected nothing`,
		"{{json uuid}}":           "json goes before choice, env, a feed's column or a text in quotes",
		"{{url json feed.users}}": "url goes before choice",
		`{{"a" b}}`:               "a text in quotes stands alone",
	} {
		if _, err := Compile(text, env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestConstant(t *testing.T) {
	env := users(t)
	for text, want := range map[string]bool{"": true, "a": true, `a{{"b"}}c`: true, "{{env HOME}}/": true, "a{{uuid}}": false, "{{uuid}}": false} {
		tpl, err := Compile(text, env)
		if err != nil {
			t.Fatal(err)
		}
		got, constant := tpl.Constant()
		if constant != want || constant && got != string(tpl.Append(nil, env.NewState(1, 0, 1))) {
			t.Errorf("%s: constant %v, %q", text, constant, got)
		}
	}
}

// TestTexts: what someone has written is shown as it will be put in.
func TestTexts(t *testing.T) {
	tpl, err := Compile(`a{{int 1 2}}{{choice "b" "c"}}{{json feed.users.full.name}}`, users(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for from, text := range tpl.Texts() {
		got = append(got, from+" "+text)
	}
	want := ` a|a choice b|a choice c|users.csv:2: column "full.name" "Ann"|users.csv:3: column "full.name" "Bo \"B\""|users.csv:4: column "full.name" "C&D é"`
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

// TestLoopsShareRowsAndNumbers: together, the loops take every row and every
// number once.
func TestLoopsShareRowsAndNumbers(t *testing.T) {
	env := users(t)
	tpl, err := Compile("{{feed.users.id}}/{{seq}}/{{feed.users.id}}", env)
	if err != nil {
		t.Fatal(err)
	}
	const parts = 2
	got := make(map[string]bool)
	for part := range parts {
		s := env.NewState(1, part, parts)
		for range 3 {
			s.Advance(tpl.Uses())
			got[string(tpl.Append(nil, s))] = true
		}
	}
	for _, want := range []string{"1/0/1", "2/1/2", "3/2/3", "1/3/1", "2/4/2", "3/5/3"} {
		if !got[want] {
			t.Errorf("%q is missing in %v", want, got)
		}
	}
	if a, b := env.Feeds[0].Rows(0, parts), env.Feeds[0].Rows(1, parts); a != 2 || b != 1 {
		t.Errorf("the loops have %d and %d of 3 rows", a, b)
	}
}

func TestSeedDecides(t *testing.T) {
	env := users(t)
	env.Feeds[0].Random = true
	tpl, err := Compile("{{feed.users.id}} {{uuid}} {{int 1 1000000}} {{string 8}}", env)
	if err != nil {
		t.Fatal(err)
	}
	render := func(seed uint64, part int) string {
		s := env.NewState(seed, part, 2)
		s.Advance(tpl.Uses())
		return string(tpl.Append(nil, s))
	}
	if render(1, 0) != render(1, 0) || render(1, 0) == render(2, 0) || render(1, 0) == render(1, 1) {
		t.Error("what is random must follow from seed and part alone")
	}
}

const everything = `/{{int 1 1000}}/{{string 8}}/{{hex 16}}/{{uuid}}/{{choice "a" "b"}}/{{seq}}/{{timestamp}}/{{timestamp rfc3339}}/{{json feed.users.full.name}}/{{url feed.users.full.name}}`

func TestAppendDoesNotAllocate(t *testing.T) {
	env := users(t)
	tpl, err := Compile(everything, env)
	if err != nil {
		t.Fatal(err)
	}
	s, buf := env.NewState(1, 0, 1), make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() {
		s.Advance(tpl.Uses())
		buf = tpl.Append(buf[:0], s)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	env := users(b)
	tpl, err := Compile("/users/{{feed.users.id}}?n={{int 1 1000}}&id={{uuid}}", env)
	if err != nil {
		b.Fatal(err)
	}
	s, buf := env.NewState(1, 0, 1), make([]byte, 0, 1000)
	for b.Loop() {
		s.Advance(tpl.Uses())
		buf = tpl.Append(buf[:0], s)
	}
}

// FuzzCompile looks for texts that panic, and for ones whose rendering is not
// what is written when nothing is put in.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"", "a", "{{", "{{int 1 2}}", everything, `{{"{{"}}`, `{{choice "}}" b}}`, "{{feed.users.id}}{{", "{{json json uuid}}", "{{int -4611686018427387904 4611686018427387904}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := users(t)
		tpl, err := Compile(text, env)
		if err != nil {
			return
		}
		s := env.NewState(1, 0, 1)
		s.Advance(tpl.Uses())
		got := string(tpl.Append(nil, s))
		if plain, err := Compile(Escape(text), env); err != nil || string(plain.Append(nil, s)) != text {
			t.Errorf("%q is not the same once escaped: %v", text, err)
		}
		if !strings.Contains(text, opening) && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if constant, ok := tpl.Constant(); ok && constant != got {
			t.Errorf("%q is constantly %q, but gives %q", text, constant, got)
		}
	})
}

func TestSplit(t *testing.T) {
	pieces, err := Split(`{"a": {{seq}}, "b": "{{choice "}}" "\""}}x"}`)
	want := []Piece{{`{"a": `, false}, {"{{seq}}", true}, {`, "b": "`, false}, {`{{choice "}}" "\""}}`, true}, {`x"}`, false}}
	if err != nil || !slices.Equal(pieces, want) {
		t.Errorf("%v, %v", pieces, err)
	}
	if _, err := Split("a {{seq"); err == nil {
		t.Error("a placeholder without an end is found")
	}
}

func TestSingle(t *testing.T) {
	env := users(t)
	for text, want := range map[string]string{
		"plain": "plain", "{{int -3 7}}": "-3 7", "{{string 2}}": "zz", "{{hex 3}}": "fff 000", `{{choice "a" "b"}}`: "a b",
		"{{feed.users.id}}": "1 2 3", "{{seq 5}}": "5 16777221", "{{timestamp}}": "1893456000", "{{uuid}}": "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
		"": "several", "a{{seq}}": "several",
	} {
		tpl, err := Compile(text, env)
		if err != nil {
			t.Fatal(err)
		}
		texts, ok := tpl.Single()
		if !ok {
			if want != "several" {
				t.Errorf("%s has several parts", text)
			}
			continue
		}
		var got []string
		for _, one := range texts {
			got = append(got, one)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s can be %q, want %s", text, got, want)
		}
		for range texts {
			break // it can be left early
		}
	}
}
