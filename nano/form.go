package nano

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"mime"
	"mime/multipart"
	"os"
	"path"
	"strings"
	"unicode"
)

// Multipart reads a multipart form part by part as it comes in.
type Multipart struct {
	reader *multipart.Reader
	in     *limitedReader
	limits FormLimits
	parts  int
	part   *Part
}

// Multipart returns a reader of the multipart form (RFC 7578) in the request's
// body, within [Config].Forms and Limits.Body. A body of another type is a
// [Problem] of status 415.
func (c Ctx) Multipart() (*Multipart, error) {
	x := c.live()
	kind, params, err := mime.ParseMediaType(string(x.field("Content-Type")))
	if err != nil || kind != multipartType {
		return nil, NewProblem(415, "the server reads a multipart form here").Because(errNotMultipart)
	}
	boundary := params["boundary"]
	if len(boundary) == 0 || len(boundary) > 70 { // RFC 2046 5.1.1
		return nil, NewProblem(400, "the multipart form has no boundary of 1 to 70 characters").Because(errNotMultipart)
	}
	in := &limitedReader{from: bodyReader{c}}
	return &Multipart{reader: multipart.NewReader(in, boundary), in: in, limits: x.app.config.Forms}, nil
}

// limitedReader lets so many bytes pass. The multipart reader has no limit of its own
// for the header of a part.
type limitedReader struct {
	from io.Reader
	left int // < 0: any number
}

var errHeaderLong = NewProblem(413, "the header of a part of the form is too long")

func (m *limitedReader) Read(p []byte) (int, error) {
	if m.left < 0 {
		return m.from.Read(p)
	}
	if m.left == 0 {
		return 0, errHeaderLong
	}
	n, err := m.from.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

// readAhead is what the multipart reader may read beyond a header.
const readAhead = 8 << 10

// Next returns the next part; io.EOF after the last. What was not read of the
// part before is passed over.
func (m *Multipart) Next() (*Part, error) {
	if m.part != nil {
		if _, err := io.Copy(io.Discard, m.part); err != nil {
			return nil, err
		}
	}
	if m.limits.HeaderBytes >= 0 {
		m.in.left = m.limits.HeaderBytes + readAhead
	}
	p, err := m.reader.NextRawPart()
	m.in.left = -1
	if err != nil {
		return nil, formError(err)
	}
	if m.parts++; m.limits.Values >= 0 && m.parts > m.limits.Values {
		return nil, tooManyValues(m.limits.Values)
	}
	m.part = &Part{Name: p.FormName(), FileName: cleanFileName(p.FileName()), ContentType: p.Header.Get("Content-Type"), part: p}
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil || m.part.Name == "" {
		return nil, NewProblem(400, "a part of the form has no name")
	}
	_, m.part.IsFile = params["filename"]
	m.part.left = m.limits.PartBytes
	return m.part, nil
}

// formError is err for the client.
func formError(err error) error {
	var p *Problem
	if err == io.EOF || errors.As(err, &p) {
		return err
	}
	return NewProblem(400, "the multipart form can't be read").Because(err)
}

// Part is one value or file of a multipart form. Its content is read from it.
type Part struct {
	Name string
	// FileName is what the client calls the file, its last element only and
	// without control characters. It may be empty, or the name of anything: never
	// use it as a path.
	FileName    string
	IsFile      bool
	ContentType string // as the client says

	part *multipart.Part
	left int64
}

// Read reads the content. More than [FormLimits].PartBytes is a Problem of
// status 413.
func (p *Part) Read(b []byte) (int, error) {
	n, err := p.part.Read(b)
	if p.left >= 0 {
		if p.left -= int64(n); p.left < 0 {
			return 0, NewProblem(413, fmt.Sprintf("%q of the form is too large", clip(p.Name)))
		}
	}
	if err != nil {
		err = formError(err)
	}
	return n, err
}

// cleanFileName leaves of a client's path what can be shown.
func cleanFileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return name
}

// collect reads a whole form.
func (c Ctx) collect(f *Form) error {
	m, err := c.Multipart()
	if err != nil {
		return err
	}
	for {
		p, err := m.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.take(p, &m.limits); err != nil {
			return err
		}
	}
}

// take keeps a part.
func (f *Form) take(p *Part, l *FormLimits) error {
	if p.IsFile {
		if l.Files >= 0 && len(f.files) == l.Files {
			return tooManyValues(l.Files)
		}
		u, err := receive(p, l.Memory)
		if err == nil {
			f.files = append(f.files, u)
		}
		return err
	}
	var from io.Reader = p
	if l.ValueBytes >= 0 {
		from = io.LimitReader(p, int64(l.ValueBytes)+1)
	}
	value, err := io.ReadAll(from)
	if err == nil && l.ValueBytes >= 0 && len(value) > l.ValueBytes {
		err = NewProblem(413, fmt.Sprintf("%q of the form is too large", clip(p.Name)))
	}
	f.values = append(f.values, formValue{[]byte(p.Name), value})
	return err
}

// receive takes in a file.
func receive(p *Part, memory int) (*Upload, error) {
	u := &Upload{Name: p.Name, FileName: p.FileName, ContentType: p.ContentType}
	start, err := io.ReadAll(io.LimitReader(p, int64(memory)+1))
	if err != nil {
		return nil, err
	}
	if u.Size = int64(len(start)); len(start) <= memory {
		u.content = start
		return u, nil
	}
	if u.file, err = os.CreateTemp("", "nano-upload-"); err != nil {
		return nil, err
	}
	// Without a name no other process can open it, and it is gone even after a crash.
	err = os.Remove(u.file.Name())
	if err == nil {
		_, err = u.file.Write(start)
	}
	if err == nil {
		var n int64
		n, err = io.Copy(u.file, p)
		u.Size += n
	}
	if err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

// Upload is a file of a form that was taken in. It ends with the handler: copy
// or save what is to stay.
type Upload struct {
	Name        string // of the form's field
	FileName    string // what the client calls it; see [Part]
	ContentType string // as the client says
	Size        int64  // bytes

	content []byte
	file    *os.File // without a name; nil if content is all
	closed  bool
}

// Open returns a reader of the content from its start. Readers don't disturb one
// another.
func (u *Upload) Open() *io.SectionReader { return io.NewSectionReader(u, 0, u.Size) }

// ReadAt reads the content from an offset.
func (u *Upload) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case u.closed:
		return 0, errors.New("nano: a file of a form was read after its handler returned")
	case u.file != nil:
		return u.file.ReadAt(p, off)
	}
	return bytes.NewReader(u.content).ReadAt(p, off)
}

// Save writes the content to a new file below root, under a name that the server
// chooses. If there is such a file it stays, and the error is both [fs.ErrExist] and a
// [Problem] of status 409.
func (u *Upload) Save(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return NewProblem(409, "there is a file of that name").Because(err)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, u.Open())
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

func (u *Upload) close() {
	u.closed, u.content = true, nil
	if u.file != nil {
		u.file.Close()
	}
}

// FormLimits bound the parts of a form; Limits.Body bounds all of it. 0 means the
// default.
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
		err = NewProblem(415, fmt.Sprintf("expected a form, but the Content-Type is %q", clip(kind)))
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
