package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

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

// Of every pair of these there is a route in each of ten versions: 10,000 in all.
var (
	things  = strings.Fields("users orders carts items prices stocks stores staff shifts tills taxes rates zones towns roads parcels lorries drivers routes stops invoices payments refunds credits debits cards banks loans claims policies tickets events venues seats artists albums tracks genres labels charts")
	aspects = strings.Fields("profile status history notes tags owner members limits access audit events links files photos prices terms plan usage quota alerts rules state totals summary export")
)

// pattern is the k-th of all routes.
func pattern(k int) string {
	each := len(things) * len(aspects)
	return fmt.Sprintf("/v%d/%s/{id}/%s", k/each+1, things[k/len(aspects)%len(things)], aspects[k%len(aspects)])
}

func fill(t table, routes int) table {
	for k := range routes {
		t.add(pattern(k), k+1)
	}
	return t
}

// wantedAt is where in the table the paths are that are searched for, as shares of
// its length in thirds.
var wantedAt = [...]int{0, 1, 2, 3}

// wantedOf are the paths that are searched for in a table of so many routes.
func wantedOf(routes int) (paths []string) {
	for _, third := range wantedAt {
		paths = append(paths, strings.Replace(pattern((routes-1)*third/3), "{id}", "1007", 1))
	}
	return paths
}

// kept are the trees other than the one that is searched.
var kept []table

// routing searches a table of the kind for the same few paths again and again;
// "none" searches nothing. So many trees of the kind are kept.
func routing(kind string, routes, trees int) task {
	make := map[string]func() table{"trie": func() table { return new(trie) }, "radix": func() table { return new(radix) }}[kind]
	if make == nil {
		return func() func() int { return func() int { return len(wantedAt) } }
	}
	t := fill(make(), routes)
	for range trees - 1 {
		kept = append(kept, fill(make(), routes))
	}
	debug.FreeOSMemory() // what building them took is not what they take
	wanted := wantedOf(routes)
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
