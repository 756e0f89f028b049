package setting

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// Machine is what settings are read from.
type Machine struct {
	machine.Fingerprint
	root fs.FS
}

// text returns what a file says, without space around it, and whether it could
// be read.
func (m *Machine) text(path string) (string, bool) {
	data, err := fs.ReadFile(m.root, path)
	return strings.TrimSpace(string(data)), err == nil
}

// number returns the number in a file.
func (m *Machine) number(path string) (int64, bool) {
	text, _ := m.text(path)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func (m *Machine) has(path string) bool {
	_, err := fs.Stat(m.root, path)
	return err == nil
}

// files lists the files that match a pattern; a broken pattern matches none.
func (m *Machine) files(pattern string) []string {
	paths, _ := fs.Glob(m.root, pattern)
	return paths
}

// unseen is the value of what can't be read, and why.
func (m *Machine) unseen(file string) Value {
	_, err := fs.ReadFile(m.root, file)
	why := i18n.New("setting.is-no", "there is no /%s", file)
	switch {
	case errors.Is(err, fs.ErrPermission):
		why = i18n.New("setting.needs-root", "reading /%s needs root", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		why = i18n.From(err)
	case err == nil:
		why = i18n.New("setting.doesnt-say", "/%s doesn't say", path.Clean(file))
	}
	return Value{Level: Unknown, Note: why}
}

func good(text i18n.Message) Value       { return Value{Text: text, Level: Good} }
func mind(text, note i18n.Message) Value { return Value{Text: text, Level: Mind, Note: note} }
func bad(text, note i18n.Message) Value  { return Value{Text: text, Level: Bad, Note: note} }
func unknown(why i18n.Message) Value     { return Value{Level: Unknown, Note: why} }

// write is the change of one file to a value, where there is that file.
func write(path, value string) func(*Machine) []Change {
	return func(*Machine) []Change { return []Change{{Path: path, New: value}} }
}
