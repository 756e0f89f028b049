package subject

import (
	"fmt"
	"strings"
)

// noSpace is what programs print of a write for which there was no room (ENOSPC),
// whatever they are written in.
const noSpace = "no space left on device"

// DiskError says that a build takes more room than there is.
type DiskError struct {
	Subject     string
	Dir         string // of the cache
	Takes, Free uint64 // bytes
}

// Error has both sizes and what to do.
func (e *DiskError) Error() string {
	return fmt.Sprintf("subject %s: its build takes about %d MB on disk, and %s has %d MB left; make room (dyno subjects clean removes builds), or let DYNO_HOME name another folder",
		e.Subject, e.Takes/megabyte, e.Dir, e.Free/megabyte)
}

// room fails with a [*DiskError] if a build is known to need more than there is. If
// that isn't known it is no error: the build will show.
func (b *Builder) room(m *Manifest) error {
	free := b.free
	if free == nil {
		free = FreeSpace
	}
	bytes, err := free(b.Dir)
	if err != nil || bytes >= m.Build.Disk {
		return nil
	}
	return &DiskError{Subject: m.Name, Dir: b.Dir, Takes: m.Build.Disk, Free: bytes}
}

// saysDiskFull reports whether a command complained that there was no room.
func saysDiskFull(lines []string) bool {
	for _, line := range lines {
		if strings.Contains(strings.ToLower(line), noSpace) || strings.Contains(line, "ENOSPC") {
			return true
		}
	}
	return false
}
