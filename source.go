// Package dyno holds the source of nanogate, so that dyno can build it as a subject
// without a checkout.
package dyno

import (
	"embed"
	"io/fs"
)

// Whole folders, so that a new package of the gateway is in it too; who packs them
// leaves tests out.
//
//go:embed go.mod go.sum cmd/nanogate gate gateway internal/anytime internal/descriptors internal/spelling
var nanogateSource embed.FS

// Nanogate returns the source of nanogate, but for the modules of nano, with its go.mod,
// as they were compiled. It is read-only, safe for concurrent use, and no part of programs
// that don't call it.
func Nanogate() fs.FS { return nanogateSource }
