package template

import (
	"strings"
	"testing"
)

func TestEnviron(t *testing.T) {
	lookup := func(name string) (string, bool) { return "of " + name, name == "HOME" || name == "A_1" }
	for text, want := range map[string]string{
		"":                             "",
		"plain {x} }}":                 "plain {x} }}",
		"{{env HOME}}":                 "of HOME",
		"a{{ env A_1 }}b{{env HOME}}":  "aof A_1bof HOME",
		"{{.Name}} {{int 1 2}} {{env}": "{{.Name}} {{int 1 2}} {{env}",
	} {
		if got, err := Environ(text, lookup); err != nil || got != want {
			t.Errorf("%q became %q (%v), want %q", text, got, err, want)
		}
	}
	if got, err := Environ("{{env NOT_SET}}", lookup); err == nil || !strings.Contains(err.Error(), "the environment variable NOT_SET is not set") {
		t.Errorf("%q, %v", got, err)
	}
}
