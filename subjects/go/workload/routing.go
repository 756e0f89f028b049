package main

import "strings"

// table is what a request's path is searched in. Patterns have parts such as
// "{id}", which match anything up to the next slash. Where one pattern has such a
// part, others must have none that is fixed: nothing is tried twice.
type table interface {
	// add puts in a pattern; its number must be above 0.
	add(pattern string, number int)
	// match returns the number of the pattern that path fits, 0 if there is none,
	// with the value of its last parameter, and through how many nodes it went.
	match(path string) (number int, param string, hops int)
}

// Of every pair of these there is a route: 1,000 in all.
var (
	things  = strings.Fields("users orders carts items prices stocks stores staff shifts tills taxes rates zones towns roads parcels lorries drivers routes stops invoices payments refunds credits debits cards banks loans claims policies tickets events venues seats artists albums tracks genres labels charts")
	aspects = strings.Fields("profile status history notes tags owner members limits access audit events links files photos prices terms plan usage quota alerts rules state totals summary export")
)

func fill(t table) table {
	number := 0
	for _, thing := range things {
		for _, aspect := range aspects {
			number++
			t.add("/v1/"+thing+"/{id}/"+aspect, number)
		}
	}
	return t
}

// routing searches the table of the kind for the same few paths again and again.
func routing(kind string) task {
	var t table = new(radix)
	if kind == "trie" {
		t = new(trie)
	}
	fill(t)
	return func() func() int {
		next := 0
		return func() int {
			path := wanted[next%len(wanted)]
			next++
			if _, param, _ := t.match(path); param != "1007" {
				return -1
			}
			return len(wanted)
		}
	}
}

var wanted = []string{"/v1/users/1007/profile", "/v1/parcels/1007/summary", "/v1/banks/1007/links", "/v1/charts/1007/terms"}

// upToSlash splits path before its first slash.
func upToSlash(path string) (part, rest string) {
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// cutParam splits a pattern around its first parameter. Without one, all of it
// is before.
func cutParam(pattern string) (before, after string, ok bool) {
	before, rest, ok := strings.Cut(pattern, "{")
	if !ok {
		return pattern, "", false
	}
	_, after, _ = strings.Cut(rest, "}")
	return before, after, true
}
