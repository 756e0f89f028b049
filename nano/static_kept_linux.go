package nano

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when a file or what is known of it changed last; no program can set it.
func changed(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Now()
}
