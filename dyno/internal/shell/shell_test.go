package shell

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"a b  c", []string{"a", "b", "c"}},
		{`-ldflags='-s -w' -x`, []string{"-ldflags=-s -w", "-x"}},
		{`"a \"b\" \\ \n" ''`, []string{`a "b" \ \n`, ""}},
		{`a\ b \'`, []string{"a b", "'"}},
		{`'a'"b"c`, []string{"abc"}},
		{"'\\'", []string{`\`}},
		{"--a 1 \\\n  --b \"c\\\nd\"", []string{"--a", "1", "--b", "cd"}},
		{"\"\\$HOME \\`id\\` \\'\"", []string{"$HOME `id` \\'"}},
	} {
		got, err := Split(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"'a", `"a`, `a\`, `"a\`, `"a\"`} {
		if got, err := Split(text); !errors.Is(err, ErrQuote) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// TestAsAShellDoes holds both directions to a real shell.
func TestAsAShellDoes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, words := range [][]string{{"plain"}, {"a b", "", "it's"}, {`\`, `"`, "$HOME", "`id`", "*", "ä"}} {
		line := Join(words)
		out, err := exec.Command(sh, "-c", `for w in `+line+`; do printf '%s\0' "$w"; done`).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words) {
			t.Errorf("a shell reads %q of %s, want %q", got, line, words)
		}
		if got, err := Split(line); err != nil || !slices.Equal(got, words) {
			t.Errorf("Split reads %q of %s (%v), want %q", got, line, err, words)
		}
	}
	for _, line := range []string{"--a 1 \\\n --b", "a\\\nb", `"\$x \\ \" \a" \$y \z`, "\"a\\\nb\" 'c\\\nd'"} {
		out, err := exec.Command(sh, "-c", "for w in "+line+`; do printf '%s\0' "$w"; done`).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if got, err := Split(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("Split reads %q of %s (%v), a shell %q", got, line, err, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"a b", `'a b' "c\"" \d`, `-ldflags='-s -w'`, "'", `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Split(text)
		if err != nil {
			return
		}
		again, err := Split(Join(words))
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q: %q, written and read again %q, %v", text, words, again, err)
		}
	})
}
