// Package capacitycmd has dyno capacity, knee and overload: what a service can take, and what comes
// after that.
package capacitycmd
