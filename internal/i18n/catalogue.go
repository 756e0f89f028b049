package i18n

import (
	"strconv"
	"strings"
)

// Catalogue has the templates of a language by id. {1} in a template stands for the first
// argument. English needs none.
type Catalogue map[string]string

// Render writes a message in the catalogue's language. What it has no template for is in
// English, as it was archived: by a version that is newer, or had other ids or arguments.
func (c Catalogue) Render(m Message) string {
	if len(c) == 0 || m.parts == "" && m.id == "" {
		return m.english
	}
	if m.id == "" {
		var text strings.Builder
		for _, part := range m.decode() {
			text.WriteString(c.Render(part))
		}
		return text.String()
	}
	template, ok := c[m.id]
	parts := m.decode()
	if !ok || strings.Contains(template, "{"+strconv.Itoa(len(parts)+1)+"}") {
		return m.english
	}
	var swap []string
	for i, part := range parts {
		swap = append(swap, "{"+strconv.Itoa(i+1)+"}", c.Render(part))
	}
	return strings.NewReplacer(swap...).Replace(template)
}
