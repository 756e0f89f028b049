//go:build linux

package admin

import (
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/wasm"
)

// Plugin is a plug-in in WebAssembly, and what became of its calls.
type Plugin struct {
	Name      string            `json:"name"`
	File      string            `json:"file"`
	SHA256    string            `json:"sha256"`            // of what runs
	Problem   string            `json:"problem,omitempty"` // why what the file holds now isn't what runs
	Requests  uint64            `json:"requests"`          // that it was called for
	Responses uint64            `json:"responses"`
	Replied   uint64            `json:"replied"`          // requests that it replied to itself
	Failed    map[string]uint64 `json:"failed,omitempty"` // by reason
	Mean      float64           `json:"mean_ms"`          // of a call
	Instances int               `json:"instances"`
	Memory    uint64            `json:"memory_bytes"` // of those that are idle
}

// pluginsOf describes the plug-ins, in the order of the file.
func pluginsOf(s *snapshot.Snapshot) []Plugin {
	all := []Plugin{}
	for _, p := range s.Plugins {
		v := Plugin{Name: p.Name, File: p.File(), SHA256: p.SHA256(), Problem: p.Problem(), Failed: map[string]uint64{},
			Requests: p.Counts.Requests.Load(), Responses: p.Counts.Responses.Load(), Replied: p.Counts.Replied.Load()}
		for why := range p.Counts.Failed {
			if n := p.Counts.Failed[why].Load(); n > 0 {
				v.Failed[wasm.Reason(why).String()] = n
			}
		}
		if h, _ := p.Counts.Took.Read(); h.Count() > 0 {
			v.Mean = float64(h.Sum.Nanoseconds()) / float64(h.Count()) / 1e6
		}
		v.Memory, v.Instances = p.Memory()
		all = append(all, v)
	}
	return all
}
