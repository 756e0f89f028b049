//go:build !linux

package load

// systemHealth has no counters of the generator's machine here.
type systemHealth struct{}

func openSystemHealth() systemHealth { return systemHealth{} }

func (*systemHealth) close() {}

func (*systemHealth) read(*healthTotals) {}
