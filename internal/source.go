// Package internal holds what nanogate and the lab share and nobody else may import. By
// itself it is its own source, for who builds one of them elsewhere.
package internal

import (
	"embed"
	"io/fs"
)

//go:embed *.go go.mod go.sum build descriptors i18n spelling visible yamlfile
var ownSource embed.FS

// Source returns the source of the packages that are linked into programs, with the go.mod,
// as they were compiled. It is read-only and safe for concurrent use.
func Source() fs.FS { return ownSource }
