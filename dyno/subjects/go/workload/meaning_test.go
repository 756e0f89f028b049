package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"subject/user"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

// The table is between these two in README.md.
const (
	tableBegin = "<!-- begin: go test -run TestMeaning -update -->\n"
	tableEnd   = "<!-- end -->\n"
)

// decoded is what each library makes of input: the user it has then, as
// encoding/json writes it, or "refused".
var decoded = []struct{ name, input string }{
	{"names in another case", `{"NAME":"Ada"}`},
	{"a field twice", `{"name":"Ada","name":"Bob"}`},
	{"an unknown field", `{"name":"Ada","shoe":39}`},
	{"a field that is never read", `{"-":"x","Secret":"y"}`},
	{"null for a text", `{"name":null}`},
	{"null for the whole", `null`},
	{"a list for the whole", `[]`},
	{"a text for a number", `{"age":"36"}`},
	{"a number for a text", `{"name":36}`},
	{"a fraction for a whole number", `{"age":36.5}`},
	{"36.0 for a whole number", `{"age":36.0}`},
	{"an exponent for a whole number", `{"age":1e2}`},
	{"a number beyond int64", `{"id":9223372036854775808}`},
	{"a number beyond float64", `{"balance":1e999}`},
	{"a leading zero", `{"age":036}`},
	{"NaN", `{"balance":NaN}`},
	{"a string option without quotes", `{"serial":7}`},
	{"a string option with a text", `{"serial":"seven"}`},
	{"a comma at the end", `{"name":"Ada",}`},
	{"no closing brace", `{"name":"Ada"`},
	{"more after the value", `{"name":"Ada"} x`},
	{"a second value", `{"name":"Ada"}{"name":"Bob"}`},
	{"nothing", ``},
	{"a byte order mark", "\ufeff{}"},
	{"single quotes", `{'name':'Ada'}`},
	{"a comment", `{"name":"Ada"/* */}`},
	{"a control character in a text", "{\"name\":\"A\nda\"}"},
	{"broken UTF-8 in a text", "{\"name\":\"A\xffda\"}"},
	{"half a surrogate pair", `{"name":"\ud800"}`},
	{"an escape that is none", `{"name":"\x"}`},
	{"20,000 lists in an unknown field", `{"shoe":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`},
}

// encoded is what each library writes.
var encoded = []struct {
	name string
	user user.User
}{
	{"characters of HTML", user.User{Name: "<b>&</b>"}},
	{"U+2028", user.User{Name: "\u2028"}},
	{"a control character", user.User{Name: "\x01\t"}},
	{"broken UTF-8", user.User{Name: "A\xff"}},
	{"no list", user.User{}},
	{"a large number", user.User{Balance: 1e21}},
	{"a small number", user.User{Balance: 1e-7}},
	{"infinity", user.User{Balance: math.Inf(1)}},
	{"a map", user.User{Extra: map[string]string{"b": "1", "a": "2", "c": "3"}}},
}

// TestMeaning holds README.md to what the libraries really do.
func TestMeaning(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatal("README.md has no place for the table")
	}
	want := before + tableBegin + meanings() + tableEnd + after
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatal("README.md does not say what the libraries do: go test -run TestMeaning -update")
	}
	if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// meanings is the table: the standard's outcome, and what others do that is not
// the same.
func meanings() string {
	var b strings.Builder
	b.WriteString("| | " + codecs[0].name)
	for _, c := range codecs[1:] {
		b.WriteString(" | " + c.name)
	}
	b.WriteString(" |\n|---" + strings.Repeat("|---", len(codecs)) + "|\n")
	for _, d := range decoded {
		row(&b, "decoding "+d.name, func(c codec) string { return decode(c, d.input) })
	}
	for _, e := range encoded {
		row(&b, "encoding "+e.name, func(c codec) string { return encode(c, e.user) })
	}
	return b.String()
}

func row(b *strings.Builder, name string, outcome func(codec) string) {
	standard := outcome(codecs[0])
	fmt.Fprintf(b, "| %s | %s", name, cell(standard))
	for _, c := range codecs[1:] {
		if got := outcome(c); got == standard {
			b.WriteString(" | same")
		} else {
			b.WriteString(" | **" + cell(got) + "**")
		}
	}
	b.WriteString(" |\n")
}

func cell(outcome string) string {
	if outcome == refused || outcome == nothing || outcome == varies {
		return outcome
	}
	return "`" + strings.ReplaceAll(visibly(outcome), "|", `\|`) + "`"
}

// visibly names what can't be seen.
func visibly(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != "\ufffd"[0]:
			fmt.Fprintf(&b, "<byte %02x>", s[i])
		case r < ' ' || r > '~':
			fmt.Fprintf(&b, "<%U>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Outcomes that are no user.
const (
	refused = "refused"
	nothing = "an empty user"
	varies  = "one thing now, another then"
)

// decode returns the fields that differ from an empty user's.
func decode(c codec, input string) string {
	var u user.User
	if err := c.decode([]byte(input), &u); err != nil {
		return refused
	}
	if !utf8.ValidString(u.Name) { // json.Marshal would mend it
		return "name=\"" + u.Name + "\""
	}
	out, err := json.Marshal(u)
	if err != nil {
		return refused
	}
	return difference(out)
}

// encode encodes more than once: the order of a map's keys may vary.
func encode(c codec, u user.User) (outcome string) {
	for i := range 50 {
		out, err := c.encode(&u)
		if err != nil {
			return refused
		}
		now := difference(out)
		if i > 0 && now != outcome {
			return varies
		}
		outcome = now
	}
	return outcome
}

// difference leaves out of a user what an empty one has too.
func difference(out []byte) string {
	var all, empty map[string]json.RawMessage
	if json.Unmarshal(out, &all) != nil {
		return string(out)
	}
	plain, _ := json.Marshal(user.User{})
	_ = json.Unmarshal(plain, &empty)
	var parts []string
	for _, field := range []string{"id", "name", "email", "age", "balance", "active", "tags", "address", "manager", "nickname", "serial", "extra", "bio", "Secret", "-"} {
		if v, ok := all[field]; ok && string(v) != string(empty[field]) {
			parts = append(parts, fmt.Sprintf("%s=%s", field, v))
		}
	}
	if len(parts) == 0 {
		return nothing
	}
	return strings.Join(parts, " ")
}
