package report

import (
	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// Texts are the texts of a language for what is printed outside reports.
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

// Say tells a message in the language.
func (t Texts) Say(m i18n.Message) string { return t.c.messages.Render(m) }

// Help is a text of a command's help by its id, if the language has it. English has none:
// that stands with the command.
func (t Texts) Help(id string) (text string, has bool) {
	text, has = t.c.help[id]
	return text, has
}

// Machine describes a machine: names of what it has, each with what that is.
func (t Texts) Machine(f machine.Fingerprint) [][2]string {
	var list [][2]string
	for _, fact := range machineFacts(f, t.c) {
		list = append(list, [2]string{fact.Name, plainSpaces(fact.Value)})
	}
	return list
}

// English are the texts in English.
func English() Texts {
	t, err := TextsIn("en")
	if err != nil {
		panic(err) // they are part of the program
	}
	return t
}
