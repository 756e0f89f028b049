//go:build race

package load

// slowdown is how many times as slow the engines are as they usually are, roughly: the
// race detector watches each access to memory.
const slowdown = 4
