package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Record is the raw record of a run that has ended, held to its sums: what a
// copy of the run elsewhere is made of.
type Record struct {
	Name
	Dir  string // the run's folder
	Sums Sums
}

// Path is where a file of the record is.
func (r *Record) Path(file string) string { return filepath.Join(r.Dir, filepath.FromSlash(file)) }

// Record returns that of the run that ref means, as in [Store.Open]. A run that
// has not ended has none, nor has one whose files are not as they were.
func (s Store) Record(ref string) (*Record, error) {
	v, err := s.Verify(ref)
	if err != nil {
		return nil, err
	}
	if len(v.Damages) > 0 {
		return nil, fmt.Errorf("run %s: %w", v.ID, joined(v.Damages))
	}
	if !isID(v.ID) {
		return nil, fmt.Errorf("%s: %q is not a run's ID", filepath.Join(v.Dir, ManifestFile), v.ID)
	}
	sums, err := readSums(v.Dir)
	if err != nil {
		return nil, err
	}
	return &Record{Name: v.Name, Dir: v.Dir, Sums: sums}, nil
}

// Adopt puts a run of another archive into the store and returns its folder.
// Fill is called with a folder that it must fill with the files of the sums; it
// is part of the store only when all of them are there and as the sums say. A
// run that is there already is left as it is, and fill is not called; if it has
// the ID but another content, that is an error.
func (s Store) Adopt(name Name, sums Sums, fill func(dir string) error) (string, error) {
	dir := filepath.Join(s.Dir, name.ID)
	if isRun(dir) {
		return dir, sameRun(dir, name)
	}
	err := s.adopt(name, sums, fill, dir)
	if err != nil {
		return "", fmt.Errorf("copying run %s to %s: %w%s", name.ID, s.Dir, err, advice(err))
	}
	return dir, nil
}

// Copy puts a run of another folder into the store, as [Store.Adopt] does.
func (s Store) Copy(r *Record) (string, error) {
	return s.Adopt(r.Name, r.Sums, func(dir string) error {
		for _, file := range r.Sums.Names() {
			if err := copyFile(r.Path(file), filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				return err
			}
		}
		return nil
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return creator(createFile).write(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

func sameRun(dir string, name Name) error {
	have, err := readAddress(dir)
	if err == nil && have != name.Address {
		err = fmt.Errorf("it has another content: its address is %s, not %s", have, name.Address)
	}
	if err != nil {
		return fmt.Errorf("there is a run %s in %s: %w", name.ID, filepath.Dir(dir), err)
	}
	return nil
}

func (s Store) adopt(name Name, sums Sums, fill func(dir string) error, final string) error {
	if sums.Address() != name.Address {
		return fmt.Errorf("its %s has the address %s, not %s", SumsFile, sums.Address(), name.Address)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	s.clearAway(name.ID)
	temporary, err := os.MkdirTemp(s.Dir, hidden+name.ID+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary) // gone already if all went well
	held, err := lock(filepath.Join(temporary, lockFile))
	if err != nil {
		return err
	}
	defer held.Close()
	if err := makeFolders(temporary, sums); err != nil {
		return err
	}
	if err := fill(temporary); err != nil {
		return err
	}
	if err := finishCopy(temporary, name, sums); err != nil {
		return err
	}
	if err := os.Remove(held.Name()); err != nil {
		return err
	}
	return renameDurably(temporary, final)
}

// clearAway removes what copying or removing the run has left when it was killed,
// as far as it can: what stays costs space only. A copy that is being made has a
// lock that is held.
func (s Store) clearAway(id string) {
	entries, _ := os.ReadDir(s.Dir)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), hidden+id+".")
		if !ok {
			continue
		}
		dir := filepath.Join(s.Dir, e.Name())
		mark := filepath.Join(dir, lockFile)
		if _, err := os.Stat(mark); rest == removed || err == nil && !locked(mark) {
			os.RemoveAll(dir)
		}
	}
}

// makeFolders makes the folders that the files of the sums are in.
func makeFolders(dir string, sums Sums) error {
	for name := range sums {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, filepath.FromSlash(name))), 0o755); err != nil {
			return err
		}
	}
	return nil // the temporary folder is its owner's only, as a run's is
}

// finishCopy seals a copy with the sums of the original and holds it to them.
func finishCopy(dir string, name Name, sums Sums) error {
	if err := creator(createFile).writeSums(dir, sums); err != nil {
		return err
	}
	if _, err := verify(dir); err != nil {
		return err
	}
	m, err := readManifest(dir)
	switch {
	case err != nil:
		return err
	case m.ID != name.ID:
		return &Damage{File: filepath.Join(dir, ManifestFile), Err: fmt.Errorf("is of run %q", m.ID)}
	case m.Finished.IsZero():
		return &Damage{File: filepath.Join(dir, ManifestFile), Err: errors.New("is of a run that has not ended")}
	}
	return nil
}
