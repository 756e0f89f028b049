package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"dyno.example/internal/i18n"
)

// verify checks the files of a run that ended against its sums, names, as [*Damage], each
// that was changed, added or removed since, and returns its address.
func verify(dir string) (Address, error) {
	sums, damages, err := inspect(dir)
	if err != nil {
		return "", err
	}
	return sums.Address(), joined(damages)
}

// Verification is what checking a run's folder against its sums came to.
type Verification struct {
	Name
	Dir     string    // its folder
	Files   int       // of the record, by its sums
	Damages []*Damage // each file that was changed, added or removed
	Beside  []string  // other files in the folder, such as reports, that have no sum; paths within it
}

// Verify checks the run that ref means, as in [Store.Open], also one that can't
// be read. It is an error if the run has no sums to be checked by, as it has not
// ended. What is wrong with its files is in the result.
func (s Store) Verify(ref string) (*Verification, error) {
	dir, err := s.resolve(ref)
	if err != nil {
		return nil, err
	}
	id := filepath.Base(dir)
	if m, err := readManifest(dir); err == nil {
		if id = m.ID; m.Finished.IsZero() {
			return nil, i18n.Errorf("archive.not-ended", "run %s has not ended (%s): it has no address and no sums to be checked by", id, m.describe())
		}
	}
	sums, damages, err := inspect(dir)
	if err != nil {
		return nil, fmt.Errorf("verifying run %s: %w", id, err)
	}
	others, err := beside(dir)
	if err != nil {
		return nil, fmt.Errorf("verifying run %s: %w", id, err)
	}
	return &Verification{Name: Name{ID: id, Address: sums.Address()}, Dir: dir, Files: len(sums), Damages: damages, Beside: others}, nil
}

// describe is the status of a run, and why if something went wrong.
func (m *Manifest) describe() i18n.Message {
	if m.Error.IsZero() {
		return m.Status.Message()
	}
	return i18n.Format("%s: %s", m.Status, m.Error)
}

// inspect holds the files in a folder to its sums.
func inspect(dir string) (Sums, []*Damage, error) {
	want, err := readSums(dir)
	if err != nil {
		return nil, nil, err
	}
	manifest, err := readBounded(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, nil, err
	}
	have, err := sum(dir, manifest)
	if err != nil {
		return nil, nil, err
	}
	damages := compare(dir, want, have)
	if d := checkAddress(dir, want.Address()); d != nil {
		damages = append(damages, d)
	}
	return want, damages, nil
}

// compare names each file whose sum is not the one wanted.
func compare(dir string, want, have Sums) []*Damage {
	all := maps.Clone(want)
	maps.Copy(all, have)
	var damages []*Damage
	for _, name := range all.Names() {
		var err error
		switch {
		case have[name] == "":
			err = errors.New("was removed since the run ended")
		case want[name] == "":
			err = errors.New("was added since the run ended")
		case have[name] != want[name]:
			err = Mismatch(have[name], want[name])
		default:
			continue
		}
		damages = append(damages, &Damage{File: filepath.Join(dir, filepath.FromSlash(name)), Err: err})
	}
	return damages
}

// Mismatch is the error for a file with another hash than its run's sums have.
func Mismatch(have, want string) error {
	return fmt.Errorf("was changed since the run ended: its SHA-256 is %s, not the %s of %s", have, want, SumsFile)
}

// joined is one error of all damages, nil if there is none.
func joined(damages []*Damage) error {
	list := make([]error, len(damages))
	for i, d := range damages {
		list[i] = d
	}
	return errors.Join(list...)
}

// beside lists the files in a run's folder that don't belong to its record.
func beside(dir string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		slashed := filepath.ToSlash(name)
		if own := []string{ManifestFile, SumsFile, addressFile}; !sealed(slashed, entry) && !slices.Contains(own, slashed) {
			list = append(list, name)
		}
		return err
	})
	return list, err
}
