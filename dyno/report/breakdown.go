package report

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"dyno.example/dyno/analysis"
)

// statusTable shows how many responses had which status, where not all were 200.
type statusTable struct {
	Title    string
	Statuses []string // the columns
	Rows     []statusRow
}

type statusRow struct {
	Subject string
	Counts  []string
}

// newStatusTable is without rows if all responses were 200, and OK of gRPC, or none was
// counted.
func newStatusTable(r ranking) statusTable {
	t := statusTable{Title: r.Title}
	seen, codes := map[int]bool{}, map[string]bool{}
	for _, row := range r.Rows {
		for status := range row.Cell.Statuses {
			seen[status] = true
		}
		for code := range row.Cell.Codes {
			codes[code] = true
		}
	}
	asUsual := len(codes) == 0 || len(codes) == 1 && codes["OK"]
	if asUsual && (len(seen) == 0 || len(seen) == 1 && seen[http.StatusOK]) {
		return t
	}
	statuses := slices.Sorted(maps.Keys(seen))
	for _, status := range statuses {
		t.Statuses = append(t.Statuses, fmt.Sprintf("%d %s", status, http.StatusText(status)))
	}
	named := slices.Sorted(maps.Keys(codes))
	t.Statuses = append(t.Statuses, named...)
	for _, row := range r.Rows {
		line := statusRow{Subject: row.Cell.Subject}
		for _, status := range statuses {
			line.Counts = append(line.Counts, strconv.FormatUint(row.Cell.Statuses[status], 10))
		}
		for _, code := range named {
			line.Counts = append(line.Counts, strconv.FormatUint(row.Cell.Codes[code], 10))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// requestTable shows the kinds of requests of a mix.
type requestTable struct {
	Title string
	Rows  []requestRow
}

type requestRow struct {
	Subject, Name                 string
	Responses, Throughput, Errors string
	P50, P90, P99                 string
}

func newRequestTable(r ranking) requestTable {
	t := requestTable{Title: r.Title}
	for _, row := range r.Rows {
		for i := range row.Cell.Requests {
			t.Rows = append(t.Rows, newRequestRow(row.Cell.Subject, &row.Cell.Requests[i]))
		}
	}
	return t
}

func newRequestRow(subject string, k *analysis.Request) requestRow {
	row := requestRow{
		Subject: subject, Name: k.Name, Responses: strconv.FormatUint(k.Completed, 10), Throughput: quantity("req/s", k.Throughput),
		Errors: strconv.FormatUint(k.Errors, 10), P50: "–", P90: "–", P99: "–",
	}
	for _, p := range k.Response {
		switch p.Percentile {
		case 50:
			row.P50 = bounded(p)
		case 90:
			row.P90 = bounded(p)
		case 99:
			row.P99 = bounded(p)
		}
	}
	return row
}

// groupOf is a page and one of its groups, for a template.
type groupOf struct {
	Page  *page
	Group int
}

// Breakdown is the page and its group for the tables of statuses and requests.
func (p *page) Breakdown(group int) groupOf { return groupOf{p, group} }
