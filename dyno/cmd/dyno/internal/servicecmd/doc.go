// Package servicecmd is dyno services: what subjects can stand on, what that lacks on this
// machine, and whether it works.
package servicecmd
