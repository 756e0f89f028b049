package router

import (
	"slices"
	"strings"
)

// method is a known method's place in a leaf.
type method uint8

const (
	methods       = 8
	methodUnknown = method(255)
)

// methodNames are the methods that leaves have a place for: those of RFC 9110
// that services use, PATCH (RFC 5789) and QUERY.
var methodNames = [methods]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"}

func methodOf(name []byte) method {
	switch string(name) {
	case "GET":
		return 0
	case "HEAD":
		return 1
	case "POST":
		return 2
	case "PUT":
		return 3
	case "PATCH":
		return 4
	case "DELETE":
		return 5
	case "OPTIONS":
		return 6
	case "QUERY":
		return 7
	}
	return methodUnknown
}

// AllowLine returns the value of Allow (RFC 9110 10.2.1) for routes of these methods,
// as far as they can be listed: "" stands for all that are known, and GET serves HEAD.
func AllowLine(served []string) string {
	names := []string{"OPTIONS"}
	for _, m := range served {
		switch m {
		case "":
			names = append(names, methodNames[:]...)
		case "GET":
			names = append(names, "GET", "HEAD")
		default:
			names = append(names, m)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
