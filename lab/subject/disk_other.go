//go:build !linux && !darwin

package subject

import "errors"

// FreeSpace can't be told here.
func FreeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
