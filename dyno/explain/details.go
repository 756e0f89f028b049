package explain

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// detailsMost is how many details of one sort are told.
const detailsMost = 3

// evidence is what there is to look at of a cause.
func (t *tally) evidence(name Name, excess []float64) []i18n.Message {
	var large []float64
	longest := -1
	for i, ns := range excess {
		if ns < t.large {
			continue
		}
		large = append(large, t.in(name, t.pairs[i].budget))
		if longest < 0 || ns > excess[longest] {
			longest = i
		}
	}
	slices.Sort(large)
	list := []i18n.Message{i18n.New("explain.typical", "half of them spent %s or more on it, of ordinary requests the average was %s",
		brief(large[len(large)/2]), brief(t.in(name, meanBudget(t.ordinary))))}
	for _, sort := range details {
		if m, ok := t.most(name, excess, sort); ok {
			list = append(list, m)
		}
	}
	r := &t.pairs[longest]
	return append(list, i18n.New("explain.longest", "the longest: %s, second %d of trial %d, connection %s, request %d on it",
		brief(t.in(name, r.budget)), r.Window, r.trial, r.Connection, r.Ordinal))
}

// detail is something that intervals of a stage tell.
type detail struct {
	of  func(*evidence.Interval, *evidence.Header) string
	say func(list i18n.Message) i18n.Message
}

var details = []detail{
	{func(v *evidence.Interval, _ *evidence.Header) string { return v.Reason }, func(list i18n.Message) i18n.Message { return i18n.New("explain.reasons", "reason: %s", list) }},
	{func(v *evidence.Interval, _ *evidence.Header) string {
		if v.Stage == evidence.Lock {
			return ""
		}
		return taskName(v.By)
	}, func(list i18n.Message) i18n.Message {
		return i18n.New("explain.ran-instead", "what ran instead: %s", list)
	}},
	{func(v *evidence.Interval, _ *evidence.Header) string {
		if v.Stage != evidence.Lock {
			return ""
		}
		return taskName(v.By)
	}, func(list i18n.Message) i18n.Message { return i18n.New("explain.woken-by", "woken by: %s", list) }},
	{peerName, func(list i18n.Message) i18n.Message { return i18n.New("explain.of-peers", "other end: %s", list) }},
}

// taskName is a thread's name, with its cgroup if that isn't the server's.
func taskName(t *evidence.Task) string {
	switch {
	case t == nil:
		return ""
	case t.Comm == "" || t.Cgroup == "":
		return t.Comm
	}
	return t.Comm + " (" + t.Cgroup + ")"
}

// peerName is the address of the other end, with the name of what listens there if it
// belongs to the run.
func peerName(v *evidence.Interval, h *evidence.Header) string {
	at, err := netip.ParseAddrPort(v.Peer)
	if err != nil || !at.Addr().IsLoopback() || h.Peers[at.Port()] == "" {
		return v.Peer
	}
	return h.Peers[at.Port()] + ", " + v.Peer
}

// leastShare is the share from which a detail is told: less than that is shown as 0 %.
const leastShare = 0.005

// most are the values of a detail that took most time in the slow requests.
func (t *tally) most(name Name, excess []float64, d detail) (i18n.Message, bool) {
	took, total := map[string]float64{}, 0.0
	for i, ns := range excess {
		if ns < t.large {
			continue
		}
		for v := range t.pairs[i].Intervals {
			one := &t.pairs[i].Intervals[v]
			if t.parts(name, one.Stage) == 0 {
				continue
			}
			length := float64(one.To - one.From)
			total += length
			if text := d.of(one, t.pairs[i].header); text != "" {
				took[text] += length
			}
		}
	}
	maps.DeleteFunc(took, func(_ string, length float64) bool { return length < leastShare*total })
	if len(took) == 0 {
		return i18n.Message{}, false
	}
	order := slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a, b)) })
	var parts []i18n.Message
	for _, text := range order[:min(detailsMost, len(order))] {
		parts = append(parts, i18n.Format("%s (%.0f %%)", text, 100*took[text]/total))
	}
	return d.say(i18n.Enumerate(parts...)), true
}

// brief is a time of three digits.
func brief(ns float64) string {
	d := time.Duration(ns)
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
}
