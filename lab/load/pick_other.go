//go:build !linux

package load

// pickEngine returns the only engine there is on this system.
func pickEngine(string, bool) (name string, open func(share) (engine, error)) {
	return "portable", openPortable
}
