//go:build !linux && !darwin

package machine

import "errors"

// RaiseFileLimit returns need: what limit there is can't be read here.
func RaiseFileLimit(need uint64) (have uint64, err error) { return need, nil }

func fileLimit() (uint64, error) { return 0, errors.ErrUnsupported }
