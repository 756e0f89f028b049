package template

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadCSV(t *testing.T) {
	table, err := ReadCSV("f.csv", strings.NewReader("\ufeffid,name\r\n1,\"a,\nb\"\r\n\r\n2,c\r\n"), 100)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 2 || table.columns[0] != "id" || table.rows[0][1].text != "a,\nb" || table.lines[1] != 5 {
		t.Errorf("got %+v", table)
	}
}

func TestReadCSVRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":               "f.csv: has no rows",
		"id,name\n":      "f.csv: has no rows",
		"id,name\n1,2,3": "f.csv:2: wrong number of fields",
		"id,\n1,2":       "f.csv:1: column 2 has no name",
		"id,id\n1,2":     `f.csv:1: two columns are called "id"`,
		"id\n1\n\"a\n":   `f.csv:3: extraneous or missing " in quoted-field`,
		"id\n1\na\"b\n":  `f.csv:3: bare " in non-quoted-field`,
		"id\n0123456789\n0123456789\n0123456789\n0123456789\n": "f.csv: has more than the 40 bytes that are allowed",
		strings.Repeat("a,", 11) + "a\n1":                      "",
	} {
		_, err := ReadCSV("f.csv", strings.NewReader(text), 40)
		if want == "" {
			want = `f.csv:1: two columns are called "a"`
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestReadJSONL(t *testing.T) {
	table, err := ReadJSONL("f.jsonl", strings.NewReader(`{"id": 12345678901234567890, "name": "a\nb"}`+"\n\n"+`{"id": true, "x": {"a" : [1, null]}}`), 1000)
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Feeds: []*Feed{{Name: "f", Table: table}}}
	tpl, err := Compile("{{feed.f.id}}", env)
	if err != nil {
		t.Fatal(err)
	}
	s := env.NewState(1, 0, 1)
	var got []string
	for range 3 {
		s.Advance(tpl.Uses())
		got = append(got, string(tpl.Append(nil, s)))
	}
	if strings.Join(got, " ") != "12345678901234567890 true 12345678901234567890" {
		t.Errorf("got %q", got)
	}
	for column, want := range map[string]string{
		"name": `f.jsonl:3: the row lacks "name"`, "x": `f.jsonl:1: the row lacks "x"`, "y": `f.jsonl has no column "y"; it has id, name, x`,
	} {
		if _, err := Compile("{{feed.f."+column+"}}", env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", column, err, want)
		}
	}
	if table.rows[1][2].text != `{"a":[1,null]}` {
		t.Errorf("got %q", table.rows[1][2].text)
	}
}

func TestReadJSONLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "f.jsonl: has no rows",
		"\n \n":                           "f.jsonl: has no rows",
		"{}\n[1]":                         "f.jsonl:2: is not a JSON object",
		"{}\n{\"a\":1":                    "f.jsonl:2: is not a JSON object",
		"null":                            "f.jsonl:1: is not a JSON object but null",
		"{}\n" + strings.Repeat(" ", 100): "f.jsonl: has more than the 40 bytes that are allowed",
	} {
		if _, err := ReadJSONL("f.jsonl", strings.NewReader(text), 40); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzReadCSV and FuzzReadJSONL look for files that panic, are read beyond
// their bound, or become tables that are not whole.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{"", "a,b\n1,2\n", "\ufeffa\n\"x\ny\"", "a\n\"", "a,a\n", "\r\n\r\na\n1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadCSV("f", strings.NewReader(text), 200)
		checkTable(t, table, err, len(text))
	})
}

func FuzzReadJSONL(f *testing.F) {
	for _, text := range []string{"", `{"a":1}`, "{\"a\":\"\\u00e9\"}\n\n{\"b\":[1, 2]}", "[]", `{"a":`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadJSONL("f", strings.NewReader(text), 200)
		checkTable(t, table, err, len(text))
		if err == nil && !json.Valid([]byte(strings.TrimSpace(text)[:strings.Index(strings.TrimSpace(text)+"\n", "\n")])) {
			t.Errorf("%q was read as JSON", text)
		}
	})
}

func checkTable(t *testing.T, table *Table, err error, size int) {
	if err != nil {
		if !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("error without the file: %v", err)
		}
		return
	}
	if size > 200 || table.Len() == 0 || len(table.lines) != table.Len() {
		t.Errorf("%d rows of %d bytes", table.Len(), size)
	}
	for _, row := range table.rows {
		if len(row) > len(table.columns) {
			t.Errorf("%d fields in %d columns", len(row), len(table.columns))
		}
	}
}
