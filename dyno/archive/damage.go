package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"dyno.example/internal/i18n"
)

// Damage is a file of a run that is not as it was written.
type Damage struct {
	File string // path
	Line int    // from 1; 0: the whole file
	Err  error
}

func (d *Damage) Error() string {
	if d.Line == 0 {
		return fmt.Sprintf("%s: %v", d.File, d.Err)
	}
	return fmt.Sprintf("%s:%d: %v", d.File, d.Line, d.Err)
}

func (d *Damage) Unwrap() error { return d.Err }

// Bounds of what is read, far above anything written, so that a damaged or
// hostile file can't take all memory.
const (
	maxDocument = 64 << 20 // bytes of manifest.json or trial.json
	maxLine     = 4 << 20  // bytes of one line of windows.jsonl or histograms.hlog
	maxWindows  = 1 << 20  // windows of a trial
)

// readDocument reads a JSON file into v, which must hold exactly its fields.
func readDocument(path string, v any) error {
	content, err := readBounded(path)
	if err != nil {
		return err
	}
	return parseDocument(content, path, v)
}

// parseDocument decodes the content of the file at path.
func parseDocument(content []byte, path string, v any) error {
	offset, err := decodeStrictly(content, v)
	if err != nil {
		return &Damage{File: path, Line: 1 + bytes.Count(content[:offset], []byte("\n")), Err: err}
	}
	return nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxDocument {
		return nil, &Damage{File: path, Err: i18n.Errorf("archive.larger-bytes", "larger than %d bytes", maxDocument)}
	}
	return content, nil
}

// decodeStrictly decodes one JSON value that fills content. The offset is where an
// error was met, as near as the decoder knows.
func decodeStrictly(content []byte, v any) (offset int64, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	err = d.Decode(v)
	offset = d.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		err = i18n.Errorf("archive.must-not", "%s must be %s, not %s", kind.Field, describe(kind.Type), kind.Value)
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		offset, err = int64(len(content)), i18n.Errorf("archive.json-truncated", "ends before its JSON does")
	case err != nil:
		err = errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case len(bytes.TrimSpace(content[offset:])) > 0:
		err = i18n.Errorf("archive.json-trailing-data", "goes on after its JSON has ended")
	}
	return min(offset, int64(len(content))), err
}

// describe names a Go type in JSON's words.
func describe(t reflect.Type) i18n.Message {
	switch t.Kind() {
	case reflect.String:
		return i18n.New("archive.string", "a string")
	case reflect.Bool:
		return i18n.New("archive.true-false", "true or false")
	case reflect.Slice, reflect.Array:
		return i18n.New("yaml.list", "a list")
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return i18n.New("archive.object", "an object")
	case reflect.Float32, reflect.Float64:
		return i18n.New("archive.number", "a number")
	default:
		return i18n.New("archive.integer-of", "a whole number that fits %s", t.Kind().String())
	}
}

// readLines calls line with each line of r, which is the content of path. All
// lines are ended by a newline; one that is not was cut off.
func readLines(r io.Reader, path string, line func(text []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), maxLine)
	in.Split(wholeLines)
	number := 0
	for in.Scan() {
		number++
		if err := line(in.Bytes()); err != nil {
			return &Damage{File: path, Line: number, Err: err}
		}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Damage{File: path, Line: number + 1, Err: i18n.Errorf("archive.longer-bytes", "longer than %d bytes", maxLine)}
	case err != nil:
		return &Damage{File: path, Line: number + 1, Err: err}
	}
	return nil
}

var errCutOff = i18n.Errorf("archive.missing-final-newline", "cut off: no newline at its end")

// wholeLines is a [bufio.SplitFunc] that refuses an unfinished last line.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, errCutOff
	}
	return 0, nil, nil
}
