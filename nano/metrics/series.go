package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"dyno.example/nano"
)

// series are those of one route, method and class of status.
type series struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
	size     prometheus.Observer
}

// routeSeries are a route's series, as far as they were needed.
type routeSeries struct {
	route *nano.Route // nil: unrouted
	found [len(methods)][len(classes)]atomic.Pointer[series]
}

var (
	methods = [...]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE", "other"}
	classes = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}
)

func methodOf(m nano.View) int {
	for i, name := range methods[:len(methods)-1] {
		if string(m) == name {
			return i
		}
	}
	return len(methods) - 1
}

func classOf(o nano.Outcome) int {
	if class := o.Status / 100; class < len(classes) && !(class == 5 && o.Gone) {
		return class
	}
	return 0
}

func (r *routeSeries) of(m *Metrics, method, class int) *series {
	at := &r.found[method][class]
	if s := at.Load(); s != nil {
		return s
	}
	route := "unrouted"
	if r.route != nil {
		route = r.route.Host() + r.route.Pattern()
	}
	s := &series{
		requests: m.requests.WithLabelValues(methods[method], route, classes[class]),
		seconds:  m.seconds.WithLabelValues(methods[method], route),
		size:     m.sizes.WithLabelValues(methods[method], route),
	}
	at.Store(s) // another may have stored the same
	return s
}
