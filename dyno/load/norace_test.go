//go:build !race

package load

const slowdown = 1
