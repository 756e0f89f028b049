//go:build linux

package proxy

import (
	"dyno/gate/config"
	"dyno/gate/request"
)

// importanceOf is how important a request is by its route, or by what it says itself as
// far as the route lets it.
func importanceOf(r *request.Request, rules *config.Importance) request.Importance {
	if rules.Header != "" {
		if value, ok := r.Header(rules.Header); ok {
			for i, name := range request.ImportanceNames {
				if string(value) == name {
					return request.Importance(min(i, rules.Most))
				}
			}
		}
	}
	return request.Importance(rules.Otherwise)
}
