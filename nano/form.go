package nano

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
)

// FormLimits bound what a form may consist of, besides Limits.Body for all of
// it. 0 means the default.
type FormLimits struct {
	Values      int   // values, or parts of a multipart form; default 1000
	Files       int   // files; default 32
	PartBytes   int64 // bytes of one file; default that of Limits.Body
	ValueBytes  int   // bytes of one value of a multipart form; default 64 KiB
	HeaderBytes int   // bytes of a part's header; default 8 KiB, held to within 8 KiB more
	Memory      int   // bytes of a file that are kept in memory, not in a temporary file; default 32 KiB
}

func (l FormLimits) withDefaults() FormLimits {
	l.Values = orDefault(l.Values, 1000)
	l.Files = orDefault(l.Files, 32)
	l.PartBytes = orDefault(l.PartBytes, 1<<62)
	l.ValueBytes = orDefault(l.ValueBytes, 64<<10)
	l.HeaderBytes = orDefault(l.HeaderBytes, 8<<10)
	l.Memory = orDefault(l.Memory, 32<<10)
	return l
}

// Form is what a client sent as a form. Like all of a request it ends with the
// handler, and its files with it.
type Form struct {
	values []formValue
	files  []*Upload
}

type formValue struct{ name, value []byte }

// Get returns the first value of the name; nil if there is none.
func (f *Form) Get(name string) View {
	for _, v := range f.values {
		if string(v.name) == name {
			return View(v.value)
		}
	}
	return nil
}

// All returns the values of the name in the order they were sent.
func (f *Form) All(name string) iter.Seq[View] {
	return func(yield func(View) bool) {
		for _, v := range f.values {
			if string(v.name) == name && !yield(View(v.value)) {
				return
			}
		}
	}
}

// File returns the first file of the name; nil if there is none.
func (f *Form) File(name string) *Upload {
	for _, u := range f.files {
		if u.Name == name {
			return u
		}
	}
	return nil
}

// Files returns the files of the name in the order they were sent.
func (f *Form) Files(name string) (files []*Upload) {
	for _, u := range f.files {
		if u.Name == name {
			files = append(files, u)
		}
	}
	return files
}

// close frees what the files hold.
func (f *Form) close() {
	for _, u := range f.files {
		u.close()
	}
}

// Form returns the form in the request's body, urlencoded or multipart, within
// [Config].Forms. Large files are kept in temporary files that are gone when
// the handler has returned; [Ctx.Multipart] reads a form as it comes in instead.
// A body that is no such form is a [Problem] of status 400, 413 or 415.
func (c Ctx) Form() (*Form, error) {
	x := c.own()
	if x.form != nil {
		return x.form, nil
	}
	form, err := &Form{}, error(nil)
	switch kind := mediaType(x.field("Content-Type")); kind {
	case formType:
		err = c.urlencoded(form)
	case multipartType:
		err = c.collect(form)
	default:
		err = NewProblem(415, fmt.Sprintf("the server reads a form here, not a body of type %q", clip(kind)))
	}
	if err != nil {
		form.close()
		return nil, err
	}
	x.form = form
	return form, nil
}

// urlencoded decodes the body in place.
func (c Ctx) urlencoded(f *Form) error {
	text, err := c.Body()
	if err != nil {
		return err
	}
	limit := c.x.app.config.Forms.Values
	if limit >= 0 && bytes.Count(text, []byte("&")) >= limit {
		return tooManyValues(limit)
	}
	for p := range pairs(text) {
		name, ok := c.x.unescaped(p.name)
		value, ok2 := c.x.unescaped(p.value)
		if !ok || !ok2 {
			return NewProblem(400, "the form has an escape that can't be decoded")
		}
		f.values = append(f.values, formValue{name, value})
	}
	return nil
}

func tooManyValues(limit int) error {
	return NewProblem(413, fmt.Sprintf("the form has more than %d values or files", limit))
}

var errNotMultipart = errors.New("nano: the body is not a multipart form")
