// Package kernelstamp reads from sockets together with when the kernel received what is
// read.
package kernelstamp
