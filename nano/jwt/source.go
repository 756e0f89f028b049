package jwt

import (
	"embed"
	"io/fs"
)

// Everything but tests, or a change of a test would recompile the package: names that
// end in anything but t, and the one that ends in one.
//
//go:embed go.mod *[^t].go jwt.go
var ownSource embed.FS

// Source returns the source of this package with its go.mod, as they were compiled: for
// programs that build other programs on it where there is no network. nano's own is
// dyno.example/nano.Source. It is read-only, safe for concurrent use, and no part of programs
// that don't call it.
func Source() fs.FS { return ownSource }
