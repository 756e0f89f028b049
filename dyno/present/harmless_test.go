package present

import "testing"

// What a server sends steers neither a terminal nor a page.
func TestSteering(t *testing.T) {
	for sent, want := range map[string]struct{ clean, page string }{
		"plain, ärger, 中文, עברית, 👩‍🚀":  {"plain, ärger, 中文, עברית, 👩‍🚀", "plain, ärger, 中文, עברית, 👩‍🚀"},
		"\x1b]0;owned\a\x1b[31mred":     {"]0;owned [31mred", "\ufffd]0;owned\ufffd\ufffd[31mred"},
		"\u009b31mred":                  {"31mred", "\ufffd31mred"},
		"200\u202eKO":                   {"200 KO", "200\ufffdKO"},
		"a\u2066b\u2069c\u200fd\u061ce": {"a b c d e", "a\ufffdb\ufffdc\ufffdd\ufffde"},
		"one\u2028two\u2029three":       {"one two three", "one\ufffdtwo\ufffdthree"},
		"line\n\ttab\r\nend\x00":        {"line tab end", "line\n\ttab\r\nend\ufffd"},
	} {
		if got := Clean(sent); got != want.clean {
			t.Errorf("%q is %q on a terminal, not %q", sent, got, want.clean)
		}
		if got := string(Harmless([]byte(sent))); got != want.page {
			t.Errorf("%q is %q on a page, not %q", sent, got, want.page)
		}
	}
}
