package subject

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLineWriter(t *testing.T) {
	var copied strings.Builder
	var seen []string
	w := &lineWriter{each: func(line string) { seen = append(seen, line) }, copy: &copied, keep: 2}
	for _, part := range []string{"on", "e\ntwo\r\n", "\nthree", " and more\nfo", "ur"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	w.flush()
	if want := []string{"one", "two", "", "three and more", "four"}; !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q", seen, want)
	}
	if want := []string{"three and more", "four"}; !slices.Equal(w.last, want) {
		t.Errorf("kept %q, want %q", w.last, want)
	}
	if copied.String() != "one\ntwo\r\n\nthree and more\nfour" {
		t.Errorf("copied %q", copied.String())
	}
}

// The log has what a build printed; what is shown of it has no colours, and no line of nothing else.
func TestLinesHaveNoColours(t *testing.T) {
	const printed = "\x1b[1mApache Maven 3.8.7\x1b[m\n\n\x1b[0m\x1b[0m[\x1b[1;31mERROR\x1b[m] no plugin\n\x1b[0m"
	var copied strings.Builder
	w := &lineWriter{copy: &copied, keep: 9}
	_, _ = w.Write([]byte(printed))
	w.flush()
	if want := []string{"Apache Maven 3.8.7", "", "[ERROR] no plugin"}; !slices.Equal(w.last, want) {
		t.Errorf("kept %q, want %q", w.last, want)
	}
	if copied.String() != printed {
		t.Errorf("copied %q", copied.String())
	}
}

func TestLongLinesAreCut(t *testing.T) {
	w := &lineWriter{keep: 1}
	for range 100 {
		_, _ = w.Write([]byte(strings.Repeat("x", 1000)))
	}
	w.flush()
	if len(w.last) != 1 || len(w.last[0]) != lineLength {
		t.Errorf("kept %d lines", len(w.last))
	}
}

func TestTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	content := strings.Repeat("a line that is not wanted\n", 10000) + "last but one\nlast\n\n"
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := tail(file, 2); !slices.Equal(got, []string{"last but one", "last"}) {
		t.Errorf("got %q", got)
	}
	if got := tail(file+"x", 2); got != nil {
		t.Errorf("got %q from no file", got)
	}
}

func TestEnvironHasNoNameTwice(t *testing.T) {
	t.Setenv("DYNO_TEST_A", "outside")
	env := environ(map[string]string{"DYNO_TEST_A": "1", "DYNO_TEST_B": "1"}, map[string]string{"DYNO_TEST_B": "2"})
	var got []string
	for _, v := range env {
		if strings.HasPrefix(v, "DYNO_TEST_A=") || strings.HasPrefix(v, "DYNO_TEST_B=") {
			got = append(got, v)
		}
	}
	if !slices.Equal(got, []string{"DYNO_TEST_A=1", "DYNO_TEST_B=2"}) {
		t.Errorf("got %q", got)
	}
}

// A log that is too long to keep loses its middle, and says how much of it.
func TestHeadAndTail(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"0123456789", "0123456789"},
		{"begin-and-then-end", "begin\n… 8 bytes left out …\nn-end"},
		{"ab\nsecret that is cut\nyz", "ab\n… 20 bytes left out …\nyz"},
		{"", ""},
	} {
		if got, err := HeadAndTail(strings.NewReader(c.text), int64(len(c.text)), 10); err != nil || string(got) != c.want {
			t.Errorf("of %q: %q, %v", c.text, got, err)
		}
	}
}
