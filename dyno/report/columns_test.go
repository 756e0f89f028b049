package report

import (
	"strings"
	"testing"

	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

func TestTerminalTableFits(t *testing.T) {
	long := "CPU per request is 4.1 % lower (2.9–5.3 %), which is more than the margin of 2 % that was asked for"
	rows := [][]string{
		{"", "FAILS IF", "OLD", "NEW", "WOULD FIND", ""},
		{"ok", "throughput < -5%", "81.2k req/s", "81.4k req/s", "+2.1%", long},
		{"\x1b[31mFAIL\x1b[0m", "response.p99 > +10%", "12.3 ms", "14.0 ms", "+8.0%", "\x1b[31m" + long + "\x1b[0m"},
		{"damaged", strings.Repeat("the file can't be read ", 6)},
		{"好", "响应时间", "1", "2", "3", strings.Repeat("比允许的更差，", 12)},
	}
	for _, width := range []int{80, 100, 200} {
		var b strings.Builder
		TerminalTable(&b, "  ", rows, width)
		for line := range strings.Lines(b.String()) {
			bare := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(strings.TrimRight(line, "\n"))
			if n := present.Width(bare); n > width {
				t.Errorf("%d columns, of %d: %s", n, width, line)
			}
			if strings.Count(line, "\x1b[31m") != strings.Count(line, "\x1b[0m") {
				t.Errorf("a colour goes on after %q", line)
			}
		}
		if words := strings.Fields(b.String()); strings.Count(strings.Join(words, " "), "margin") != 2 {
			t.Errorf("words are lost:\n%s", &b)
		}
	}
	var b strings.Builder
	TerminalTable(&b, "", rows, 0) // for another program
	if got := strings.Count(b.String(), "\n"); got != len(rows) {
		t.Errorf("%d lines of %d rows", got, len(rows))
	}
}

// A list has a mark for each item, however many lines it takes.
func TestTerminalList(t *testing.T) {
	texts, err := TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	items := []i18n.Message{i18n.Verbatim(strings.Repeat("as another share of the core ", 6)), i18n.Verbatim(strings.Repeat("占用了处理器，", 12))}
	var b strings.Builder
	TerminalList(&b, texts, "compare.mind", items, 40)
	b.WriteString(TerminalParagraph("\x1b[31mFAIL\x1b[0m  ", strings.Repeat("if nothing had changed ", 4), 40))
	marks, lines := 0, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[2:]
	for _, line := range lines {
		bare := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(line)
		if n := present.Width(bare); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
		switch {
		case strings.HasPrefix(bare, "  - "), strings.HasPrefix(bare, "FAIL  "):
			marks++
		case !strings.HasPrefix(bare, "    "):
			t.Errorf("not as far in as what it goes on with: %q", line)
		}
	}
	if marks != 3 || len(lines) < 9 {
		t.Errorf("%d marks on %d lines:\n%s", marks, len(lines), &b)
	}
}

// Columns that others tell too are left out where there is no room, and nowhere else.
func TestTerminalTableWithout(t *testing.T) {
	rows := [][]string{
		{"RUN", "STUDY", "STARTED", "STATUS", "USABLE", "ADDRESS"},
		{"20261124-141320-go-frameworks-ab12", "go-frameworks", "2026-11-24 14:13:20", "complete", "120 of 120", "blake3:0123456"},
		{"20261124-141321-broken-ab12", "", "", "damaged", "manifest.json: unexpected end of JSON input, as the file was cut off at some point"},
	}
	for width, has := range map[int][2]bool{80: {false, false}, 100: {false, true}, 0: {true, true}, 200: {true, true}} {
		var b strings.Builder
		TerminalTableWithout(&b, rows, width, 1, 2)
		if got := [2]bool{strings.Contains(b.String(), "STUDY"), strings.Contains(b.String(), "STARTED")}; got != has {
			t.Errorf("width %d: has %v, want %v:\n%s", width, got, has, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := present.Width(strings.TrimRight(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns, of %d: %s", n, width, line)
			}
		}
	}
}
