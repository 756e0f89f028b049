// Package internal holds what nanogate and the lab share and no other module may
// import. The package itself embeds its source, so that either can be built without a
// checkout.
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
