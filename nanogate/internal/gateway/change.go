//go:build linux

package gateway

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Version is a configuration that is served, or was. The last few are kept, to go back
// to.
type Version struct {
	Number int // from 1, which is what the gateway started with
	At     time.Time
	By     string // what brought it: "start", "file", "admin", "rollback to 3"
	Routes int

	config *config.Config // as it was read; of older ones without their source only
	dir    string
	path   string
	source []byte
}

// Of versions so many are kept, and of so many bytes together, but always the one before
// the last.
const (
	mostVersions      = 10
	mostVersionsBytes = 64 << 20
)

// ErrNoVersion says that there is no version of that number any more.
var ErrNoVersion = errors.New("there is no such version: only the last few are kept")

// remember notes what is served from now. g.mu is held.
func (g *Gateway) remember(c *config.Config, by string) {
	number := 1
	if n := len(g.versions); n > 0 {
		number = g.versions[n-1].Number + 1
	}
	v := Version{Number: number, At: time.Now(), By: by, Routes: len(c.Routes), dir: c.Dir, path: c.Path, source: c.Source}
	if c.Source == nil { // made of flags
		v.config = c
	}
	g.versions = append(g.versions, v)
	for len(g.versions) > 2 && (len(g.versions) > mostVersions || size(g.versions) > mostVersionsBytes) {
		g.versions = slices.Delete(g.versions, 0, 1)
	}
}

func size(versions []Version) (bytes int) {
	for i := range versions {
		bytes += len(versions[i].source)
	}
	return bytes
}

// Versions returns the versions that are kept, the one that is served last.
func (g *Gateway) Versions() []Version {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.versions)
}

// Version is the number of the version that is served.
func (g *Gateway) Version() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.versions[len(g.versions)-1].Number
}

// Config reads a version's configuration again; 0 is the one before the one that is
// served.
func (g *Gateway) Config(number int) (*config.Config, int, error) {
	versions := g.Versions()
	if number == 0 && len(versions) > 1 {
		number = versions[len(versions)-2].Number
	}
	for _, v := range versions {
		switch {
		case v.Number != number:
			continue
		case v.config != nil:
			return v.config, number, nil
		}
		c, err := config.ParseIn(v.dir, v.path, v.source)
		return c, number, err
	}
	return nil, 0, fmt.Errorf("%w (asked for %d)", ErrNoVersion, number)
}

// Restarts returns what of a change takes a restart to come into effect.
func Restarts(changes []config.Change) (parts []string) {
	for _, c := range changes {
		if slices.Contains([]string{"listen", "admin"}, c.Part) && c.Name == "" {
			parts = append(parts, c.Part)
		}
	}
	return parts
}
