package nano

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
)

// Renderer makes pages. [Templates] is one; another template language is another.
type Renderer interface {
	Render(w io.Writer, name string, data any) error
}

// Templates renders a set of html/template by their names.
func Templates(set *template.Template) Renderer { return templates{set} }

type templates struct{ set *template.Template }

func (t templates) Render(w io.Writer, name string, data any) error {
	return t.set.ExecuteTemplate(w, name, data)
}

// Render answers with a page of [Config].Renderer. The page is made before
// anything is sent: a template that fails answers 500, not half a page.
func (c Ctx) Render(code int, name string, data any) error {
	r := c.live().app.config.Renderer
	if r == nil {
		return errors.New("nano: Render needs a Config.Renderer, such as nano.Templates(set)")
	}
	var page bytes.Buffer
	if err := r.Render(&page, name, data); err != nil {
		return fmt.Errorf("rendering %s: %w", name, err)
	}
	return c.send(code, htmlLine, page.Bytes())
}

const htmlLine = "Content-Type: text/html; charset=utf-8\r\n"

// HTML answers with a page. What goes into it from elsewhere must have been
// escaped: [Ctx.Render] does.
func (c Ctx) HTML(code int, page string) error { return c.send(code, htmlLine, unsafeBytes(page)) }
