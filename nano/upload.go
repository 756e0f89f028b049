package nano

import (
	"bytes"
	"errors"
	"io"
	"os"
)

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
// chooses. It fails if there is such a file.
func (u *Upload) Save(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
