//go:build linux

package metrics

import "dyno.example/nanogate/internal/wasm"

// plugins writes what became of calls of plug-ins in WebAssembly.
func (r *report) plugins() {
	all := r.s.Plugins
	if len(all) == 0 {
		return
	}
	r.family("nanogate_plugin_calls_total", counter, "Calls of a plug-in, for requests and for responses.")
	for _, p := range all {
		r.count(float64(p.Counts.Requests.Load()), p.Counts.Took.Made, "plugin", p.Name, "for", "request")
		r.count(float64(p.Counts.Responses.Load()), p.Counts.Took.Made, "plugin", p.Name, "for", "response")
	}
	r.family("nanogate_plugin_responses_total", counter, "Requests that a plug-in responded to itself.")
	for _, p := range all {
		r.count(float64(p.Counts.Replied.Load()), p.Counts.Took.Made, "plugin", p.Name)
	}
	r.family("nanogate_plugin_failures_total", counter, "Requests and responses that a plug-in failed to process, by reason.")
	for _, p := range all {
		for why := range p.Counts.Failed {
			if n := p.Counts.Failed[why].Load(); n > 0 {
				r.count(float64(n), p.Counts.Took.Made, "plugin", p.Name, "reason", wasm.Reason(why).String())
			}
		}
	}
	r.family("nanogate_plugin_duration_seconds", summary, "Duration of calls of a plug-in, without the time that they wait for an instance.")
	for _, p := range all {
		h, _ := p.Counts.Took.Read()
		if n := h.Count(); n > 0 {
			r.sums(&h, n, p.Counts.Took.Made, []string{"plugin", p.Name})
		}
	}
	r.family("nanogate_plugin_instances", gauge, "Instances of a plug-in that exist.")
	for _, p := range all {
		_, n := p.Memory()
		r.level(float64(n), "plugin", p.Name)
	}
	r.family("nanogate_plugin_memory_bytes", gauge, "Memory of a plug-in's idle instances.")
	for _, p := range all {
		n, _ := p.Memory()
		r.level(float64(n), "plugin", p.Name)
	}
	r.family("nanogate_plugin_current", gauge, "Whether the plug-in that runs is what its file holds: 1, or 0 while that file can't be used.")
	for _, p := range all {
		r.level(truth(p.Problem() == ""), "plugin", p.Name)
	}
}
