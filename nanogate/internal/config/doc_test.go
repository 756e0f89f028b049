package config

import (
	"regexp"
	"strings"
	"testing"

	"dyno.example/nanogate/docs"
)

// The whole files among the documentation's examples can be read.
func TestExamples(t *testing.T) {
	page := []byte(docs.All())
	n := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		if text := string(m[1]); strings.HasPrefix(text, "listen:") {
			n++
			if _, err := Parse("gateway.md", []byte(text)); err != nil {
				t.Errorf("%v, in\n%s", err, text)
			}
		}
	}
	if n < 3 {
		t.Errorf("there are %d whole files", n)
	}
}
