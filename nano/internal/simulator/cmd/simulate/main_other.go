//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "simulate: nano's loops, and so their simulator, are for Linux")
	os.Exit(1)
}
