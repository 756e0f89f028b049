package yamlfile

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// syntaxHints says what usually is behind the YAML library's messages.
var syntaxHints = []struct {
	part string
	hint i18n.Message
}{
	{"mapping values are not allowed", i18n.New("yaml.check-indentation-quote-text", `check the indentation, and quote a text that holds ": "`)},
	{"cannot start any token", i18n.New("yaml.indent-with-spaces", "indent with spaces, not tabs, and quote a text that starts with @, ` or %%")},
	{"did not find expected key", i18n.New("yaml.check-indentation-quotes", "check the indentation and the quotes of this line")},
	{"did not find expected '-'", i18n.New("yaml.check-indentation-line", "check the indentation of this line")},
	{"did not find expected ',' or", i18n.New("yaml.close-and-quote", "close the bracket or brace, and quote a text that holds ? or a comma")},
	{"unexpected end of stream", i18n.New("yaml.quote-unclosed", "a quote is not closed")},
	{"could not find expected ':'", i18n.New("yaml.write-field-value", `write "field: value"`)},
}

// syntax reports err, which decode returned for src.
func (f *File) syntax(src []byte, err error) {
	line, message := splitLine(err)
	if name, ok := strings.CutPrefix(message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		at := max(0, bytes.Index(src, []byte("*"+name)))
		line, column := position(src, at)
		f.report(line, column, i18n.New("yaml.unknown-anchor", "expected an anchor &%s before its use", name))
		return
	}
	if message == f.Form.Second.String() {
		f.report(line, 0, f.Form.Second)
		return
	}
	var hint []i18n.Message
	for _, h := range syntaxHints {
		if strings.Contains(message, h.part) {
			hint = append(hint, h.hint)
			break
		}
	}
	line = f.Form.syntaxLine(src, line, message)
	f.report(line, 0, i18n.New("yaml.expected-yaml", "expected YAML: %s", message), hint...)
}

var yamlMessage = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// splitLine splits the YAML library's message into line (0 if unknown) and text.
func splitLine(err error) (line int, message string) {
	m := yamlMessage.FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(m[1]) // empty: unknown
	return line, m[2]
}

// syntaxLine finds the line at fault. The YAML library often names the line
// where the surrounding list or mapping began. The line at fault is the last
// one without which the error would be another, or none.
func (f *Form) syntaxLine(src []byte, reported int, message string) int {
	const longest, largest = 400, 32 << 10 // lines and bytes; a parse for each line is too much for longer files
	lines := bytes.SplitAfter(src, []byte("\n"))
	if len(lines) > longest || len(src) > largest {
		return max(1, reported)
	}
	end := len(src)
	for n := len(lines); n > 0; n-- {
		end -= len(lines[n-1])
		_, err := f.decode(src[:end])
		if err == nil {
			return n
		}
		if _, m := splitLine(err); m != message {
			return n
		}
	}
	return 1
}
