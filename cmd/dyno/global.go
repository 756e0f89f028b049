package main

import (
	"os"
	"runtime/debug"

	"golang.org/x/term"
)

// globalFlags hold for every command.
type globalFlags struct {
	quiet   bool
	plain   bool
	lang    string
	archive string
}

// liveLines reports whether lines may be written over: on a terminal, unless
// asked not to.
func (g *globalFlags) liveLines() bool {
	return !g.quiet && !g.plain && term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
}

// colour reports whether standard output may be coloured (https://no-color.org).
func colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// width is the terminal's, or 100 columns where there is none.
func width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 100
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
