package validity

import (
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// judgeServer names what the server's side says against one window. What befell
// the machine as a whole, such as steal, the generator has judged: it runs there
// too. Throttling is no finding where the study asked for it by a quota.
func judgeServer(w *archive.Window, c *Conditions) []finding.Finding {
	var found []finding.Finding
	add := func(name finding.Name, level finding.Validity, detail i18n.Message) {
		found = append(found, finding.Finding{Name: name, Validity: level, Detail: detail, Windows: []int{w.Client.Index}})
	}
	if m := w.Server.Machine; m != nil && w.Server.Length > 0 {
		if m.ListenDrops > 0 {
			add(finding.ListenDrops, finding.Suspect, i18n.New("load.listen-queue-drops", "%d connections were dropped because a listen queue was full", m.ListenDrops))
		}
		if m.SwapOut > 0 {
			add(finding.Swapping, finding.Suspect, i18n.New("validity.swapped-out", "%d pages were swapped out", m.SwapOut))
		}
	}
	if f, ok := others(w, c).Finding(w.Client.Index); ok {
		found = append(found, f)
	}
	if p := w.Server.Process; p != nil && p.Throttled > 0 && !c.Quota {
		add(finding.Throttled, finding.Suspect, i18n.New("validity.quota-throttled", "a CPU quota kept the subject off its CPUs for %v", p.Throttled.Round(time.Millisecond)))
	}
	return found
}

// others is what neither the subject nor dyno did to the CPUs that they use; nil
// if that is unknown. Of a subject that is not ours the generator judges it.
func others(w *archive.Window, c *Conditions) *measure.Others {
	m, p := w.Server.Machine, w.Server.Process
	if m == nil || m.Self == nil || p == nil || p.Reported || w.Server.Length <= 0 || c.GeneratorCPUs == nil {
		return nil
	}
	generator := m.Self.CPU
	var uses []measure.Use
	if up := w.Server.Upstream; up != nil && c.UpstreamCPUs == nil {
		generator += up.CPU
	} else if up != nil {
		uses = append(uses, measure.Use{Name: "the upstream", CPUs: c.UpstreamCPUs, Own: up.CPU})
	}
	its := p.CPU
	apart := measure.Use{Name: "the services"}
	for i := range w.Server.Services {
		s := &w.Server.Services[i]
		cpus := c.ServiceCPUs[s.Name]
		switch {
		case s.Process == nil:
		case len(cpus) == 0 || overlap(cpus, c.GeneratorCPUs):
			generator += s.Process.CPU
		case overlap(cpus, c.ItsCPUs):
			its += s.Process.CPU
		case overlap(cpus, c.UpstreamCPUs) && len(uses) > 0:
			uses[0].Own += s.Process.CPU
		default:
			apart.CPUs, apart.Own = slices.Compact(slices.Sorted(slices.Values(slices.Concat(apart.CPUs, cpus)))), apart.Own+s.Process.CPU
		}
	}
	if apart.CPUs != nil {
		uses = append(uses, apart)
	}
	if together := slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.GeneratorCPUs, c.ItsCPUs)))); len(together) < len(c.GeneratorCPUs)+len(c.ItsCPUs) {
		uses = append(uses, measure.Use{Name: "both", CPUs: together, Own: generator + its})
	} else {
		uses = append([]measure.Use{{Name: "the generator", CPUs: c.GeneratorCPUs, Own: generator}, {Name: "the subject", CPUs: c.ItsCPUs, Own: its}}, uses...)
	}
	o := measure.NewOthers(m, w.Server.Length, uses...)
	o.Waited = m.Self.RunQueue + p.RunQueue
	if w.Server.Lacks("run_queue") {
		o.Waited = w.Server.Length // nobody says that they didn't
	}
	if w.Server.Lacks("programs") {
		o.Unknown = i18n.New("validity.processes-hidden", "processes are hidden from dyno")
	}
	return o
}

// overlap reports whether two sets of CPUs have one in common.
func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(cpu int) bool { return slices.Contains(b, cpu) })
}
