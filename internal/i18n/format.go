package i18n

import (
	"fmt"
	"regexp"
	"strings"
)

// verb matches what fmt replaces in a format. It knows no explicit indexes: a message has no
// use for them, as its translations have their own order.
var verb = regexp.MustCompile(`%[-+# 0]*(?:[0-9]+|\*)?(?:\.(?:[0-9]+|\*))?[a-zA-Z%]`)

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
	for _, v := range Verbs(format) {
		takes := 1 + strings.Count(v, "*")
		if takes > len(args) {
			break // go vet says so, and English has it
		}
		if wording := strings.TrimLeft(v, "%-+# 0123456789"); isMessage(args[0]) && (wording == "s" || wording == "v" || wording == "w") {
			parts = append(parts, of(args[0]))
		} else {
			parts = append(parts, Verbatim(fmt.Sprintf(v, said(args[:takes])...)))
		}
		args = args[takes:]
	}
	return parts
}
