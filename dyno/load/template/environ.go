package template

import (
	"fmt"
	"regexp"
	"strings"
)

var environment = regexp.MustCompile(`\{\{\s*env\s+([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// Environ replaces each {{env NAME}} in a text by the variable's value. All other
// braces stay as they are: they may have a meaning in the text. The error names a
// variable that is not set.
func Environ(text string, lookup func(name string) (string, bool)) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	var missing error
	filled := environment.ReplaceAllStringFunc(text, func(placeholder string) string {
		name := environment.FindStringSubmatch(placeholder)[1]
		value, ok := lookup(name)
		if !ok {
			missing = fmt.Errorf("the environment variable %s is not set", name)
		}
		return value
	})
	if missing != nil {
		return "", missing
	}
	return filled, nil
}
