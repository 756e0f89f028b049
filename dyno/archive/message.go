package archive

import "dyno.example/internal/i18n"

// archived is a message in full, for a file that has its English too; nothing of one that
// reads the same in all languages.
func archived(m i18n.Message) (full i18n.Archived) {
	if m.Translates() {
		full.Message = m
	}
	return full
}

// messageOf is what an error in a file says: in full, or the English of a version that wrote
// nothing else.
func messageOf(english i18n.Message, full i18n.Archived) i18n.Message {
	if full.IsZero() {
		return english
	}
	return full.Message
}
