package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/present"
)

// mostMain is how many statistics of a service have room on a terminal.
const mostMain = 3

// telling are the statistics that say most about services that dyno knows, the first ones
// most. What waits comes before what is merely much.
var telling = []string{
	"to_replay_bytes", "replicas_behind_bytes", "waiting_for_locks", "commits", "active", "commands", "evicted", "fragmentation",
	"messages", "etcd_mvcc_put_total", "etcd_mvcc_range_total", "rows_fetched", "connections",
}

// mainStatistics are up to three of a service's own, as text: the share of look-ups that hit,
// the most telling ones, or, of a service that isn't known, the counters that grow fastest.
func mainStatistics(s *analysis.Service) (list []string) {
	if hits, misses := s.Rates["hits"], s.Rates["misses"]; hits+misses > 0 {
		list = append(list, "hits"+gap+quantity("%", 100*hits/(hits+misses)))
	}
	for _, name := range telling {
		if x := s.Rates[name]; x != 0 {
			list = append(list, name+gap+quantity("", x)+"/s")
		}
		if x := s.Gauges[name]; x != 0 {
			list = append(list, name+gap+quantity("", x))
		}
	}
	if len(list) == 0 {
		fastest := slices.SortedFunc(maps.Keys(s.Rates), func(a, b string) int {
			return cmp.Or(cmp.Compare(s.Rates[b], s.Rates[a]), strings.Compare(a, b))
		})
		for _, name := range fastest {
			if s.Rates[name] != 0 {
				list = append(list, name+gap+quantity("", s.Rates[name])+"/s")
			}
		}
	}
	return list[:min(len(list), mostMain)]
}

// terminalServices writes what the subjects stood on for a terminal, nothing if they stood
// on nothing.
func terminalServices(t serviceTable, c language, width int, p painter) string {
	if len(t.Rows) == 0 {
		return ""
	}
	rows := [][]string{{
		c.text("ranking.subject"), c.text("services.service"), c.text("services.cpu"), c.text("services.subject"), c.text("services.request"),
		c.text("services.memory"), c.text("services.main"),
	}}
	for i, head := range rows[0] {
		rows[0][i] = p.paint(dim, head)
	}
	for i, r := range t.Rows {
		name := r.Subject
		if i > 0 && t.Rows[i-1].Subject == name {
			name = ""
		}
		rows = append(rows, []string{printable(name), printable(r.Service), r.CPU, r.Beside, r.PerRequest, r.Memory, printable(r.Main)})
	}
	var out strings.Builder
	out.WriteString(p.paint(bold, present.Clip(c.text("services.title"), width)) + "\n\n")
	TerminalTableWithout(&out, rows, width, 4, 3) // what follows from others
	return out.String() + "\n"
}
