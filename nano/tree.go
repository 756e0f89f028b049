package nano

import (
	"slices"
	"strconv"
)

// node is a node of a radix tree over canonical paths. What leads to it has been
// matched; below it are, in the order they are tried, static bytes, segments with
// constraints or text in them, a parameter, and any rest.
type node struct {
	prefix   string // static bytes that lead here from the parent; "" for a parameter
	first    []byte // the first byte of each of children
	children []*node
	segments []branch
	param    *node // a segment that isn't empty
	end      *leaf // the path ends here
	tail     *leaf // any rest, also none
}

// branch is a segment that isn't one plain parameter, and what follows it.
type branch struct {
	*segment
	node  *node
	first *Route // the first one that was registered with it
}

// leaf holds the routes of one path, one per method.
type leaf struct {
	routes []*Route
	known  [methods]*Route // who answers each known method
	any    *Route
}

// insert returns the place of a leaf, made if need be. It panics if r's segment is
// one of several that match the same without one of them being more specific.
func (n *node) insert(parts []part, tail bool, r *Route) *leaf {
	for _, part := range parts {
		switch {
		case part.static != "":
			n = n.below(part.static)
		case part.segment != nil:
			n = n.behind(part.segment, r)
		default:
			if n.param == nil {
				n.param = &node{}
			}
			n = n.param
		}
	}
	at := &n.end
	if tail {
		at = &n.tail
	}
	if *at == nil {
		*at = &leaf{}
	}
	return *at
}

// behind returns the node that a segment leads to from n.
func (n *node) behind(s *segment, r *Route) *node {
	at := len(n.segments)
	for i, b := range n.segments {
		if b.shape == s.shape {
			return b.node
		}
		order, ok := s.compare(b.segment)
		if ok && order < 0 {
			at = min(at, i)
		}
		if ok {
			continue
		}
		if word, overlap := commonWord(s.expression(), b.expression()); overlap {
			example := ""
			if word != "" {
				example = ", such as " + strconv.Quote(word)
			}
			panic("nano: " + r.describe() + " conflicts with " + b.first.describe() + ": segments of both match the same" + example + ", and none is the more specific")
		}
	}
	child := &node{}
	n.segments = slices.Insert(n.segments, at, branch{s, child, r})
	return child
}

// below returns the node that static bytes lead to from n.
func (n *node) below(static string) *node {
	for static != "" {
		i := n.index(static[0])
		if i < 0 {
			child := &node{prefix: static}
			n.first, n.children = append(n.first, static[0]), append(n.children, child)
			return child
		}
		child := n.children[i]
		same := commonPrefix(static, child.prefix)
		if same < len(child.prefix) {
			upper := &node{prefix: child.prefix[:same], first: []byte{child.prefix[same]}, children: []*node{child}}
			child.prefix = child.prefix[same:]
			n.children[i], child = upper, upper
		}
		n, static = child, static[same:]
	}
	return n
}

// index returns which child begins with c; -1: none.
func (n *node) index(c byte) int {
	for i, f := range n.first {
		if f == c {
			return i
		}
	}
	return -1
}

func commonPrefix(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// of returns the route for exactly that method.
func (l *leaf) of(method string) *Route {
	for _, r := range l.routes {
		if r.method == method {
			return r
		}
	}
	return nil
}

// add puts a route on the leaf.
func (l *leaf) add(r *Route) {
	l.routes = append(l.routes, r)
	if r.method == "" {
		l.any = r
	}
	for id := range l.known {
		l.known[id] = l.answers(methodNames[id])
	}
}

// answers returns the route for a method: its own, GET's for HEAD, or that of
// all methods.
func (l *leaf) answers(method string) *Route {
	for _, m := range [...]string{method, "GET"} {
		for _, r := range l.routes {
			if r.method == m {
				return r
			}
		}
		if method != "HEAD" {
			break
		}
	}
	return l.any
}

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
