package i18n

import (
	"fmt"
	"regexp"
	"strings"
)

// verb matches what fmt replaces in a format. It knows neither explicit indexes nor widths
// taken from arguments: a message has no use for them.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z%]`)

// Verbs are the verbs of a format in their order, without %%.
func Verbs(format string) []string {
	found := verb.FindAllString(format, -1)
	verbs := found[:0]
	for _, v := range found {
		if !strings.HasSuffix(v, "%") {
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// arguments are what the verbs of a format write.
func arguments(format string, args []any) []Message {
	var parts []Message
	for i, v := range Verbs(format) {
		if i == len(args) {
			break // go vet says so, and English has it
		}
		if wording := strings.TrimLeft(v, "%-+# 0123456789"); isMessage(args[i]) && (wording == "s" || wording == "v" || wording == "w") {
			parts = append(parts, of(args[i]))
			continue
		}
		parts = append(parts, Verbatim(fmt.Sprintf(v, args[i])))
	}
	return parts
}
