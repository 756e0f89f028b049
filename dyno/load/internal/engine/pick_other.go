//go:build !linux

package engine

// Pick returns the only engine there is on this system.
func Pick(string, bool) (name string, open func(Share) (Engine, error)) {
	return "portable", openPortable
}
