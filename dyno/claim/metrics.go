package claim

import (
	"maps"
	"slices"
)

// Metrics are the names of the metrics that the expression is about, sorted.
func (e *Expression) Metrics() []string {
	names := map[string]bool{}
	for i := range e.Comparisons {
		e.Comparisons[i].metrics(names)
	}
	return slices.Sorted(maps.Keys(names))
}

func (c *Comparison) metrics(names map[string]bool) {
	for _, n := range []node{c.left, c.right, c.published, c.floor} {
		metricsOf(n, names)
	}
}

func metricsOf(n node, names map[string]bool) {
	switch n := n.(type) {
	case quantity:
		names[n.metric] = true
	case index:
		names[n.metric] = true
	case sweep:
		if len(n.holds) == 0 {
			names["throughput"] = true // of which a knee is
		}
		for i := range n.holds {
			n.holds[i].metrics(names)
		}
	case operation:
		metricsOf(n.left, names)
		metricsOf(n.right, names)
	}
}
