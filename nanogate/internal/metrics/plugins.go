//go:build linux

package metrics

import "dyno.example/nanogate/internal/wasm"

// plugins writes what became of calls of plug-ins in WebAssembly.
func (r *report) plugins() {
	all := r.s.Plugins
	if len(all) == 0 {
		return
	}
	r.family("nanogate_plugin_calls_total", counter, "Calls of a plug-in, by whether it was for a request or for a response.")
	for _, p := range all {
		r.count(float64(p.Counts.Requests.Load()), p.Counts.Took.Made, "plugin", p.Name, "for", "request")
		r.count(float64(p.Counts.Responses.Load()), p.Counts.Took.Made, "plugin", p.Name, "for", "response")
	}
	r.family("nanogate_plugin_answers_total", counter, "Requests that a plug-in has answered itself.")
	for _, p := range all {
		r.count(float64(p.Counts.Replied.Load()), p.Counts.Took.Made, "plugin", p.Name)
	}
	r.family("nanogate_plugin_failures_total", counter, "Requests and responses that a plug-in failed to look at, by reason.")
	for _, p := range all {
		for why := range p.Counts.Failed {
			if n := p.Counts.Failed[why].Load(); n > 0 {
				r.count(float64(n), p.Counts.Took.Made, "plugin", p.Name, "reason", wasm.Reason(why).String())
			}
		}
	}
	r.family("nanogate_plugin_duration_seconds", summary, "How long calls of a plug-in take, waiting for their turn not counted.")
	for _, p := range all {
		h, _ := p.Counts.Took.Read()
		if n := h.Count(); n > 0 {
			r.sums(&h, n, p.Counts.Took.Made, []string{"plugin", p.Name})
		}
	}
	r.family("nanogate_plugin_instances", gauge, "Instances of a plug-in.")
	for _, p := range all {
		_, n := p.Memory()
		r.level(float64(n), "plugin", p.Name)
	}
	r.family("nanogate_plugin_memory_bytes", gauge, "Memory of those of them that are idle.")
	for _, p := range all {
		n, _ := p.Memory()
		r.level(float64(n), "plugin", p.Name)
	}
	r.family("nanogate_plugin_current", gauge, "Whether what runs is what the plug-in's file holds: 0 while that can't be used.")
	for _, p := range all {
		r.level(truth(p.Problem() == ""), "plugin", p.Name)
	}
}
