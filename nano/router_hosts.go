package nano

import "dyno/nano/wire/http1"

// hosts is a tree of paths for each host, and one for all hosts.
type hosts struct {
	all   node
	exact map[string]*node // by the host in lower case
	below map[string]*node // by what follows the first label, which is a parameter
}

// tree returns the tree of a pattern's host.
func (h *hosts) tree(p *pattern) *node {
	switch {
	case p.hostParam:
		return treeOf(&h.below, p.host)
	case p.host != "":
		return treeOf(&h.exact, p.host)
	}
	return &h.all
}

func treeOf(trees *map[string]*node, host string) *node {
	if *trees == nil {
		*trees = map[string]*node{}
	}
	if (*trees)[host] == nil {
		(*trees)[host] = &node{}
	}
	return (*trees)[host]
}

// find looks in the host's own tree, in that of the hosts beside it, and in that
// of all hosts.
func (h *hosts) find(x *exchange, l *lookup) *Route {
	if h.exact != nil || h.below != nil {
		if r := h.findHost(x, l); r != nil {
			return r
		}
		l.n, l.viaTail = 0, false
	}
	return l.find(&h.all, 0)
}

const maxHost = 255 // bytes of a host name (RFC 1035 2.3.4)

func (h *hosts) findHost(x *exchange, l *lookup) *Route {
	host := hostOf(x.req.Host.Of(x.buf))
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
	if n := h.exact[string(lower)]; n != nil {
		if r := l.find(n, 0); r != nil {
			return r
		}
		l.n, l.viaTail = 0, false
	}
	if dot <= 0 {
		return nil
	}
	n := h.below[string(lower[dot+1:])]
	if n == nil {
		return nil
	}
	start := x.req.Host.Start
	l.values[0] = http1.Span{Start: start, End: start + uint32(dot)}
	l.n = 1
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
