//go:build !linux

package nano

import (
	"io/fs"
	"time"
)

// changed is not known here, so that nothing is kept.
func changed(fs.FileInfo) time.Time { return time.Now() }
