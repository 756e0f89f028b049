// Package machinecmd has dyno machine: what speaks against measuring here, and what can be set.
package machinecmd
