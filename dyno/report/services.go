package report

import (
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
)

// serviceTable shows what the subjects of a group stood on, if that is known.
type serviceTable struct {
	Title string
	Rows  []serviceRow
}

// serviceRow is one service under one subject.
type serviceRow struct {
	Subject, Service string
	CPU, Memory      string
	Beside           string // CPUs that the subject used meanwhile
	PerRequest       string // CPU time
	Own              string // its own statistics
	Main             string // up to three of them
}

func newServiceTable(r ranking, c language) serviceTable {
	t := serviceTable{Title: r.Title}
	for _, row := range r.Rows {
		for i := range row.Cell.Services {
			t.Rows = append(t.Rows, newServiceRow(row.Cell.Subject, &row.Cell.Services[i], c))
		}
	}
	return t
}

func newServiceRow(subject string, s *analysis.Service, c language) serviceRow {
	row := serviceRow{Subject: subject, Service: s.Name, CPU: "–", Memory: "–", Beside: "–", PerRequest: "–", Main: words(strings.Join(mainStatistics(s), " · "), "–")}
	if s.PerRequest != nil {
		row.PerRequest = quantity("µs", *s.PerRequest)
	}
	if s.Subject != nil {
		row.Beside = quantity("", *s.Subject)
	}
	if s.CPU != nil {
		row.CPU = quantity("", *s.CPU)
	}
	if s.RSS != nil {
		row.Memory = quantity("bytes", *s.RSS)
	}
	var own []string
	for _, name := range slices.Sorted(maps.Keys(s.Rates)) {
		if s.Rates[name] != 0 {
			own = append(own, name+gap+quantity("", s.Rates[name])+"/s")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Gauges)) {
		if s.Gauges[name] != 0 {
			own = append(own, name+gap+quantity("", s.Gauges[name]))
		}
	}
	if s.Missing > 0 {
		own = append(own, c.text("services.missing", "n", s.Missing, "why", printable(oneLine(s.Why))))
	}
	row.Own = strings.Join(own, " · ")
	return row
}

// services writes the table in Markdown.
func (m *markdown) services(t serviceTable) {
	if len(t.Rows) == 0 {
		return
	}
	m.line("### %s\n", escape(m.text("services.title")))
	var rows [][]string
	for _, r := range t.Rows {
		rows = append(rows, []string{escape(r.Subject), escape(r.Service), escape(r.Own), escape(r.CPU), escape(r.Beside), escape(r.PerRequest), escape(r.Memory)})
	}
	m.table("lll", []string{m.text("ranking.subject"), m.text("services.service"), m.text("services.own"), m.text("services.cpu"), m.text("services.subject"), m.text("services.request"), m.text("services.memory")}, rows)
	m.line("\n%s\n", escape(m.text("services.note")))
}

// serviceColumn is what columns of seconds begin with that have the CPU time of services;
// panels.js looks for it.
const serviceColumn = "service:"

// servicesIn are the names of the services that some of the seconds know, as they come.
func servicesIn(list []analysis.Second) (names []string) {
	for i := range list {
		for _, s := range list[i].Services {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// burnt is what a service used of the CPUs in a second, nil where that is not known.
func burnt(second analysis.Second, name string) any {
	for _, s := range second.Services {
		if s.Name == name {
			return round(s.CPU, 4)
		}
	}
	return nil
}
