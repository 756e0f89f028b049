package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"dyno.example/internal/i18n"
)

// WriteFile writes a file wholly or not at all.
func WriteFile(path string, fill func(*bytes.Buffer) error) error {
	var content bytes.Buffer
	if err := fill(&content); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".dyno-*")
	if err != nil {
		return i18n.Errorf("tune.writing", "writing %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content.Bytes())
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return i18n.Errorf("tune.writing", "writing %s: %w", path, err)
	}
	return nil
}

// WriteThrough fills a buffer and writes it to w, whose name is in errors.
func WriteThrough(w io.Writer, name string, fill func(*bytes.Buffer) error) error {
	var content bytes.Buffer
	if err := fill(&content); err != nil {
		return err
	}
	if _, err := w.Write(content.Bytes()); err != nil {
		return i18n.Errorf("tune.writing", "writing %s: %w", name, err)
	}
	return nil
}

// WriteJSON writes an object, indented.
func WriteJSON(w io.Writer, object any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(object)
}

// CheckFile finds out, before anything is measured, whether the file that a flag
// names can be written; "-" is standard output. It changes nothing.
func CheckFile(flag, path string) error {
	if path == "-" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return i18n.Errorf("cli.is-folder", "%s: %s is a folder", flag, path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe or a device, which opening could block or disturb
	}
	f, err := os.CreateTemp(filepath.Dir(LinkTarget(path)), ".dyno-*")
	if err != nil {
		return i18n.Errorf("cli.cant-written", "%s: %s can't be written: %w", flag, path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// LinkTarget is what a link leads to: it is to be replaced, not the link.
func LinkTarget(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file
	}
	return path
}
