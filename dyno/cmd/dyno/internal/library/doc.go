// Package library is where commands find archived runs: a folder of this machine, or a bucket.
package library
