// Package build says what a program was built from.
package build

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// module is that of nanogate, which programs of others have compiled in. Its own commands
// are in modules below it.
const module = "dyno.example/nanogate"

// Info is what a program was built from.
type Info struct {
	Version  string // of the program's module: a release, a commit as "devel-1234567890ab", or "devel"
	Revision string // the commit, of which "-dirty" differs; empty if it isn't known
	Go       string // such as "go1.26.1"
	// Of is the version of nanogate's module in a program of another one, which has it
	// compiled in; else empty.
	Of string
}

// Read returns what the running program was built from.
func Read() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: "unknown", Go: runtime.Version()}
	}
	return infoOf(b)
}

// ReadFile returns what the program in a file was built from.
func ReadFile(path string) (Info, error) {
	b, err := buildinfo.ReadFile(path)
	if err != nil {
		return Info{}, err
	}
	return infoOf(b), nil
}

func infoOf(b *debug.BuildInfo) Info {
	info := Info{Go: cmp.Or(b.GoVersion, runtime.Version())}
	dirty := false
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && info.Revision != "" {
		info.Revision += "-dirty"
	}
	switch v := b.Main.Version; {
	case v != "" && v != "(devel)":
		info.Version = v
	case info.Revision != "":
		info.Version = "devel-" + info.Revision
	default:
		info.Version = "devel"
	}
	if !strings.HasPrefix(b.Main.Path+"/", module+"/") {
		info.Of = compiledIn(b.Deps)
	}
	return info
}

// compiledIn is the version of nanogate's module among those that a program has compiled in.
func compiledIn(deps []*debug.Module) string {
	for _, d := range deps {
		if d.Path != module {
			continue
		}
		if d.Replace != nil {
			d = d.Replace
		}
		return cmp.Or(strings.Trim(d.Version, "()"), "devel") // "(devel)" in a workspace
	}
	return ""
}

// String is the version, with Go's and the platform: what goes into a report of a fault.
func (i Info) String() string {
	text := i.Version
	if i.Of != "" {
		text += fmt.Sprintf(" with nanogate %s", i.Of)
	}
	return fmt.Sprintf("%s (%s, %s/%s)", text, i.Go, runtime.GOOS, runtime.GOARCH)
}
