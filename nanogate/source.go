package nanogate

import (
	"embed"
	"io/fs"
)

// Whole folders, so that a new package of the gateway is in it too; who packs them
// leaves tests out.
//
//go:embed *.go go.mod go.sum cmd command examples internal serve with
var ownSource embed.FS

// Source returns the source of this module, with its go.mod, as it was compiled, so that
// who measures nanogate can build it without a checkout. It is read-only, safe for concurrent use, and no part of programs
// that don't call it.
func Source() fs.FS { return ownSource }
