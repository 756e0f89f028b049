package nanogate

import (
	"embed"
	"io/fs"
)

// Whole folders, so that a new package of the gateway is in it too; tests are left out
// when they are packed.
//
//go:embed *.go go.mod go.sum command internal serve
var ownSource embed.FS

// Source returns the source of this module, with its go.mod, as it was compiled, so that
// nanogate can be measured without a checkout. It is read-only, safe for concurrent use,
// and isn't linked into programs that don't call it.
func Source() fs.FS { return ownSource }
