//go:build !linux

package subjectcmd

import "errors"

// freeOnDisk is known on Linux only.
func freeOnDisk(string) (uint64, error) { return 0, errors.ErrUnsupported }
