package report

import (
	"io"
	"regexp"
	"strings"

	"dyno.example/dyno/machine"
)

// Texts are the texts of a language for what is printed besides reports.
type Texts struct{ c language }

// TextsIn returns the texts of a language ("en" if empty; see [Languages]).
func TextsIn(lang string) (Texts, error) {
	c, err := openLanguage(lang)
	return Texts{c}, err
}

// Lang is the language, as "en".
func (t Texts) Lang() string { return t.c.lang }

// Text is the text of a key, with each {name} in it replaced by the value that follows
// name in pairs. A key that is not there shows as itself.
func (t Texts) Text(key string, pairs ...any) string { return t.c.text(key, pairs...) }

// Count is the text of a key for n things, with {n} replaced by n.
func (t Texts) Count(key string, n uint64) string {
	form := plural(key, 2)
	if n == 1 {
		form = plural(key, 1)
	}
	return t.c.text(form, "n", n)
}

// Reason is what the lab wrote in English when it measured, such as the detail of a
// finding, in the language.
func (t Texts) Reason(text string) string { return t.c.reason(text) }

// Whole is a text that is translated as it stands, such as a paragraph of a command's
// help or a cell of a table. How its lines are broken doesn't matter. A text that the
// language lacks is returned as it is; missing reports whether it has a sentence.
func (t Texts) Whole(text string) (translated string, missing bool) {
	if t.c.whole == nil {
		return text, false
	}
	if translated, ok := t.c.whole[strings.Join(strings.Fields(text), " ")]; ok {
		return translated, false
	}
	return text, prose.MatchString(text)
}

// prose matches three words in a row that are neither names nor code.
var prose = regexp.MustCompile(`\b[a-z']+ [a-z']+ [a-z']+\b`)

// Machine describes a machine: names of what it has, each with what that is.
func (t Texts) Machine(f machine.Fingerprint) [][2]string {
	var list [][2]string
	for _, fact := range machineFacts(f, t.c) {
		list = append(list, [2]string{fact.Name, plainSpaces(fact.Value)})
	}
	return list
}

// Writer translates what is written to w, each writing as a text of its own, as
// [Texts.Reason] does.
func (t Texts) Writer(w io.Writer) io.Writer {
	if len(t.c.phrases) == 0 {
		return w
	}
	return &translator{w, t.Reason}
}

type translator struct {
	w         io.Writer
	translate func(text string) string
}

func (t *translator) Write(p []byte) (int, error) {
	text := strings.TrimRight(string(p), "\n")
	if _, err := io.WriteString(t.w, t.translate(text)+string(p[len(text):])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// English are the texts in English.
func English() Texts {
	t, err := TextsIn("en")
	if err != nil {
		panic(err) // they are part of the program
	}
	return t
}
