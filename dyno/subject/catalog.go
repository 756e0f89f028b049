package subject

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dyno.example/dyno/subject/contract"
	"dyno.example/internal/i18n"
)

// manifestFile is the name of the file that makes a folder a subject.
const manifestFile = "subject.yaml"

// Catalog is the set of subjects in a file system, each in the folder its name
// says. It is read once and does not change.
type Catalog struct {
	fsys     fs.FS
	subjects []Manifest // sorted by name
}

// NewCatalog reads every subject.yaml below the root of fsys. It fails with
// all mistakes of all manifests.
func NewCatalog(fsys fs.FS) (*Catalog, error) {
	c := &Catalog{fsys: fsys}
	var errs []error
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if entry.Name() != manifestFile || entry.IsDir() {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		m, err := ParseManifest(name, path.Dir(name), data)
		errs = append(errs, err)
		c.subjects = append(c.subjects, m)
		return nil
	})
	if err != nil {
		return nil, i18n.Errorf("subject.read-catalog-subjects", "read the catalog of subjects: %w", err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := c.checkUpstreams(); err != nil {
		return nil, i18n.Errorf("subject.read-catalog-subjects", "read the catalog of subjects: %w", err)
	}
	slices.SortFunc(c.subjects, func(a, b Manifest) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

// List returns all subjects, sorted by name.
func (c *Catalog) List() []Manifest { return slices.Clone(c.subjects) }

// Names returns the names of all subjects, sorted.
func (c *Catalog) Names() []string {
	names := make([]string, len(c.subjects))
	for i, m := range c.subjects {
		names[i] = m.Name
	}
	return names
}

// Get returns the subject of that name, or an error with the nearest one.
func (c *Catalog) Get(name string) (Manifest, error) {
	for _, m := range c.subjects {
		if m.Name == name {
			return m, nil
		}
	}
	return Manifest{}, i18n.Errorf("subject.unknown-subject", "no subject %q%s (known: %s)", name, c.suggest(name), i18n.Names(c.Names()...))
}

// suggest looks for a slip, then for a name without its language.
func (c *Catalog) suggest(name string) string {
	if near := didYouMean(name, c.Names()); near != "" {
		return near
	}
	for _, full := range c.Names() {
		if path.Base(full) == name {
			return didYouMean(full, []string{full})
		}
	}
	return ""
}

// Routes reads the routes m must serve. Of one that speaks gRPC there are [Catalog.Calls].
func (c *Catalog) Routes(m Manifest) ([]contract.Route, error) {
	data, err := fs.ReadFile(c.fsys, m.Routes)
	if err != nil {
		return nil, i18n.Errorf("subject.read-routes-subject", "read the routes of subject %s: %w", m.Name, err)
	}
	return ParseRoutes(m.Routes, data)
}

// Calls reads the gRPC calls m must serve.
func (c *Catalog) Calls(m Manifest) ([]contract.Call, error) {
	data, err := fs.ReadFile(c.fsys, m.Routes)
	if err != nil {
		return nil, i18n.Errorf("subject.read-calls-subject", "read the calls of subject %s: %w", m.Name, err)
	}
	return ParseCalls(m.Routes, data)
}
