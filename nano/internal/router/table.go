package router

import "dyno.example/nano/wire/http1"

// Table holds values by host and path: a tree of paths for each host, and one for
// all hosts. The zero value is an empty one.
type Table[T any] struct {
	all   node[T]
	exact map[string]*node[T] // by the host in lower case
	below map[string]*node[T] // by what follows the first label, which is a parameter
}

// Conflict says why a value can't be added.
type Conflict[T any] struct {
	With   *T
	Reason string
}

func (c *Conflict[T]) Error() string { return c.Reason }

// Add puts a value in its place: one, and one more for each optional parameter. It
// fails with a [Conflict] if another value is there, or may match the same.
func (t *Table[T]) Add(p *Pattern, method string, v *T) error {
	tree := t.tree(p)
	first, err := tree.insert(p.parts, p.Tail, v)
	if err != nil {
		return err
	}
	leaves := []*leaf[T]{first}
	for _, parts := range p.shorter {
		l, err := tree.insert(parts, false, v)
		if err != nil {
			return err
		}
		leaves = append(leaves, l)
	}
	for _, l := range leaves {
		if other := l.of(method); other != nil {
			return &Conflict[T]{With: other, Reason: "both serve the same requests"}
		}
	}
	for _, l := range leaves {
		l.add(method, v)
	}
	return nil
}

// tree returns the tree of a pattern's host.
func (t *Table[T]) tree(p *Pattern) *node[T] {
	switch {
	case p.hostParam:
		return treeOf(&t.below, p.host)
	case p.host != "":
		return treeOf(&t.exact, p.host)
	}
	return &t.all
}

func treeOf[T any](trees *map[string]*node[T], host string) *node[T] {
	if *trees == nil {
		*trees = map[string]*node[T]{}
	}
	if (*trees)[host] == nil {
		(*trees)[host] = &node[T]{}
	}
	return (*trees)[host]
}

// find looks in the host's own tree, in that of the hosts beside it, and in that
// of all hosts.
func (t *Table[T]) find(q *http1.Request, buf []byte, l *lookup[T]) *T {
	if t.exact != nil || t.below != nil {
		if v := t.findHost(q, buf, l); v != nil {
			return v
		}
		l.n, l.viaTail, l.viaHost = 0, false, false
	}
	return l.find(&t.all, 0)
}

const maxHost = 255 // bytes of a host name (RFC 1035 2.3.4)

func (t *Table[T]) findHost(q *http1.Request, buf []byte, l *lookup[T]) *T {
	host := hostOf(q.Host.Of(buf))
	if len(host) > maxHost {
		return nil
	}
	var space [maxHost]byte
	lower := space[:len(host)]
	dot := -1
	for i := range len(host) {
		c := host[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c == '.' && dot < 0 {
			dot = i
		}
		lower[i] = c
	}
	if n := t.exact[string(lower)]; n != nil {
		if v := l.find(n, 0); v != nil {
			return v
		}
		l.n, l.viaTail = 0, false
	}
	if dot <= 0 {
		return nil
	}
	n := t.below[string(lower[dot+1:])]
	if n == nil {
		return nil
	}
	start := q.Host.Start
	l.values[0] = http1.Span{Start: start, End: start + uint32(dot)}
	l.n, l.viaHost = 1, true
	return l.find(n, 0)
}

// hostOf returns a host without its port and without the dot of a fully
// qualified name.
func hostOf(host []byte) []byte {
	for i := len(host) - 1; i >= 0; i-- {
		if host[i] == ':' {
			host = host[:i]
			break
		}
		if host[i] < '0' || host[i] > '9' {
			break // an IPv6 address ends in "]"
		}
	}
	if n := len(host); n > 0 && host[n-1] == '.' {
		host = host[:n-1]
	}
	return host
}
