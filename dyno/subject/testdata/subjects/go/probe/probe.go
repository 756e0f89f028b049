// Package probe is here to be a second input of the build.
package probe

// Name is the name of the server's mode that works.
const Name = "good"
