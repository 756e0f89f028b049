// Package dyno holds the framework's own source, so that subjects that import
// it can be built wherever dyno runs: they are modules of their own, built on
// the user's machine. It is data; nothing else belongs here.
package dyno

import (
	"embed"
	"io/fs"
)

// Nano, what it imports of this module, and the module's requirements.
//
//go:embed go.mod nano/*.go nano/wire/clock/*.go nano/wire/http1/*.go nano/wire/reactor/*.go
var framework embed.FS

// Framework returns the source of package nano and of what it imports of this
// module, laid out as in the repository, with the module's go.mod. Tests are
// among it. It is read-only and safe for concurrent use.
func Framework() fs.FS { return framework }
