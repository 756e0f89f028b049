package i18n

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"
)

var zh = Catalogue{
	"t.away":  "循环停顿了 {1}（限值 {2}）",
	"t.share": "{2} 个中有 {1} %",
	"t.side":  "{1} 面",
	"t.why":   "，因为：{1}",
	"t.read":  "读取 {1}：{2}",

	"list.and":         "{1}和{2}",
	"list.comma":       "，",
	"list.semicolon":   "；",
	"list.enumeration": "、",
}

func TestMessagesInBothLanguages(t *testing.T) {
	away := New("t.away", "a loop was away for %v (limit %v)", 412*time.Millisecond, 100*time.Millisecond)
	share := New("t.share", "%.1f %% of %d", 2.345, 7)
	read := Errorf("t.read", "reading %q: %w", "f", io.EOF)
	for name, tt := range map[string]struct {
		m           Message
		english, zh string
	}{
		"nothing":             {Message{}, "", ""},
		"arguments":           {away, "a loop was away for 412ms (limit 100ms)", "循环停顿了 412ms（限值 100ms）"},
		"order and percent":   {share, "2.3 % of 7", "7 个中有 2.3 %"},
		"large figures":       {New("t.away", "%.3g after %+.2g", 12345.6, 999.7), "12300 after +1000", "循环停顿了 12300（限值 +1000）"},
		"small figures":       {New("t.away", "%.3g, p = %.1g", 999.4, 0.00001), "999, p = 1e-05", "循环停顿了 999（限值 1e-05）"},
		"no figures":          {New("t.away", "%.3g, %.2g", math.Inf(1), math.NaN()), "+Inf, NaN", "循环停顿了 +Inf（限值 NaN）"},
		"a message in one":    {New("t.why", ", for %s", share), ", for 2.3 % of 7", "，因为：7 个中有 2.3 %"},
		"put together":        {Join(away, "; ", share), "a loop was away for 412ms (limit 100ms); 2.3 % of 7", "循环停顿了 412ms（限值 100ms）; 7 个中有 2.3 %"},
		"clauses":             {List(", ", share, Verbatim("x"), share), "2.3 % of 7, x, 2.3 % of 7", "7 个中有 2.3 %，x，7 个中有 2.3 %"},
		"sentences":           {List("; ", share, Verbatim("x")), "2.3 % of 7; x", "7 个中有 2.3 %；x"},
		"lines":               {List("\n", share, Verbatim("x")), "2.3 % of 7\nx", "7 个中有 2.3 %\nx"},
		"names":               {New("t.why", ", for %s", Names("a", "b, c", "d")), ", for a, b, c, d", "，因为：a、b, c、d"},
		"a name":              {Names("a"), "a", "a"},
		"no names":            {Names(), "", ""},
		"things":              {Enumerate(side(1).Message(), share), "side 1, 2.3 % of 7", "1 面、7 个中有 2.3 %"},
		"and":                 {And(Verbatim("a"), Verbatim("b"), share), "a, b and 2.3 % of 7", "a、b和7 个中有 2.3 %"},
		"and of one":          {And(share), "2.3 % of 7", "7 个中有 2.3 %"},
		"verbatim":            {Verbatim("{1} as it is"), "{1} as it is", "{1} as it is"},
		"a format":            {Format("%s (%d %%): %v%s", share, 5, io.EOF, ""), "2.3 % of 7 (5 %): EOF", "7 个中有 2.3 % (5 %): EOF"},
		"a format of percent": {Format("%d %%%s", 5, share), "5 %2.3 % of 7", "5 %7 个中有 2.3 %"},
		"a star":              {New("t.share", "%+.*f %% of %d", 1, 2.345, 7), "+2.3 % of 7", "7 个中有 +2.3 %"},
		"a format alone":      {Format("100 %%"), "100 %", "100 %"},
		"an id of later":      {New("t.later", "later %d", 1), "later 1", "later 1"},
		"an error":            {From(read), `reading "f": EOF`, `读取 "f"：EOF`},
		"around an error":     {From(fmt.Errorf("run x: %w (twice)", read)), `run x: reading "f": EOF (twice)`, `run x: 读取 "f"：EOF (twice)`},
		"an error in one":     {New("t.why", ", for %v", fmt.Errorf("x: %w", read)), `, for x: reading "f": EOF`, `，因为：x: 读取 "f"：EOF`},
		"a named value":       {New("t.why", ", for %v", side(7)), ", for side 7", "，因为：7 面"},
		"several errors":      {From(errors.Join(read, io.EOF, read)), "reading \"f\": EOF\nEOF\nreading \"f\": EOF", "读取 \"f\"：EOF\nEOF\n读取 \"f\"：EOF"},
		"an error of others":  {From(io.EOF), "EOF", "EOF"},
		"braces in a value":   {New("t.why", ", for %s", "{1}"), ", for {1}", "，因为：{1}"},
	} {
		if got := tt.m.String(); got != tt.english {
			t.Errorf("%s: %q, want %q", name, got, tt.english)
		}
		if got := zh.Render(tt.m); got != tt.zh {
			t.Errorf("%s: %q, want %q", name, got, tt.zh)
		}
		data, err := json.Marshal(Archived{tt.m})
		var back Archived
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back.Message != tt.m {
			t.Errorf("%s: archived as %s, read as %#v, %v", name, data, back, err)
		}
	}
	if !errors.Is(read, io.EOF) {
		t.Error("what %w wraps is lost")
	}
}

// side has a name in each language.
type side int

func (s side) Message() Message { return New("t.side", "side %d", int(s)) }

func TestMessagesAreTheirEnglishInJSON(t *testing.T) {
	type finding struct {
		Detail Message `json:"detail"`
		Empty  Message `json:"empty,omitzero"`
	}
	data, err := json.Marshal(finding{Detail: New("t.share", "%.1f %% of %d", 2.345, 7)})
	if want := `{"detail":"2.3 % of 7"}`; err != nil || string(data) != want {
		t.Errorf("%s, %v, want %s", data, err, want)
	}
	var back finding
	if err := json.Unmarshal(data, &back); err != nil || back.Detail.String() != "2.3 % of 7" || back.Detail.ID() != "" {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestWhatIsArchivedIsRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"t.away","args":["1s","2s"],"en":"a loop was away for 1s (limit 2s)"}`: "循环停顿了 1s（限值 2s）",
		`"a loop was away"`: "a loop was away",
		`["so, ",{"id":"t.share","args":["1","2"],"en":"1 % of 2"}]`:                             "so, 2 个中有 1 %",
		`{"id":"t.gone","en":"gone"}`:                                                            "gone",
		`{"id":"t.why","args":[{"id":"t.gone","args":["1"],"en":"gone 1"}],"en":", for gone 1"}`: "，因为：gone 1",
		`{"id":"t.away","args":["1s"],"en":"away for 1s"}`:                                       "away for 1s", // it had no limit then
	} {
		var a Archived
		if err := json.Unmarshal([]byte(text), &a); err != nil || zh.Render(a.Message) != want {
			t.Errorf("%s reads as %q, %v, want %q", text, zh.Render(a.Message), err, want)
		}
	}
	if err := json.Unmarshal([]byte(`7`), new(Archived)); err == nil {
		t.Error("a number is no message")
	}
}
