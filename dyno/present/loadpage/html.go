package loadpage

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("load").Parse(pageSource))

// HTML writes the report as a page in the language of the texts.
func HTML(w io.Writer, l *Load, t report.Texts) error {
	var out bytes.Buffer // so that a failure leaves no half page behind
	if err := pageTemplate.Execute(&out, newPage(l, t)); err != nil {
		return fmt.Errorf("filling the page: %w", err)
	}
	_, err := w.Write(present.Harmless(out.Bytes()))
	return err
}
