//go:build amd64 || arm64

package engine

// canSuspend: handlers can be suspended where a goroutine can be told from others.
const canSuspend = true

// goroutine returns what tells the calling goroutine from all others that live: the
// address of the runtime's record of it, which is in a register or in the thread's
// memory. There is no cheaper way to ask the runtime.
func goroutine() uintptr
