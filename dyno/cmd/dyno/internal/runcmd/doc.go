// Package runcmd has dyno run and up: studies are carried out, and single subjects looked at.
package runcmd
