//go:build !amd64 && !arm64

package engine

const canSuspend = false

func goroutine() uintptr { return 0 }
