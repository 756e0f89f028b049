//go:build !linux

package probe

import "errors"

// socketsProbe asks the kernel what waits in sockets, which only Linux tells.
type socketsProbe struct{}

func newSockets(int) (*socketsProbe, error) { return nil, errors.ErrUnsupported }

func (*socketsProbe) close() {}

func (*socketsProbe) read() (Sockets, error) { return Sockets{}, errors.ErrUnsupported }
