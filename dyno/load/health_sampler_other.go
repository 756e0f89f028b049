//go:build !linux

package load

// systemHealth is what the kernel tells of the generator's machine: nothing
// here.
type systemHealth struct{}

func openSystemHealth() systemHealth { return systemHealth{} }

func (*systemHealth) close() {}

func (*systemHealth) read(*healthTotals) {}
