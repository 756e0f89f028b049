//go:build linux

package command

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/cache"
)

// section is a part of the page: a table with a row for each of something.
type section struct {
	what string // its rows are, for those that there is no room for
	head string
	rows []string // cells with tabs between them
}

// write appends the table with so many lines of rows at most.
func (s *section) write(b *bytes.Buffer, most int) {
	if len(s.rows) == 0 || most == 0 {
		return
	}
	shown := len(s.rows)
	if shown > most {
		shown = most - 1 // the last line says how many more there are
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s\n", s.head)
	for _, row := range s.rows[:shown] {
		fmt.Fprintln(w, row)
	}
	_ = w.Flush() // into memory
	if left := len(s.rows) - shown; left > 0 {
		fmt.Fprintf(b, "%d more %s\n", left, s.what)
	}
}

const (
	mostRows     = 20 // of a section, where there is no terminal with a height
	mostProblems = 3
)

// page writes what is seen now within so many lines; 0: however many that are.
func (t *top) page(now *look, height int) []byte {
	var b bytes.Buffer
	t.head(&b, now)
	sections := []section{t.routes(now), t.endpoints(now), t.mirrors(now), t.canaries(now), identities(now), certificates(now), plugins(now)}
	sections = slices.DeleteFunc(sections, func(s section) bool { return len(s.rows) == 0 })
	lines := height - bytes.Count(b.Bytes(), []byte("\n")) - 2*len(sections) // each has an empty line and a head
	wants := make([]int, len(sections))
	for i := range sections {
		wants[i] = len(sections[i].rows)
		if height == 0 {
			wants[i] = min(wants[i], mostRows)
			lines = len(sections) * mostRows
		}
	}
	for i, most := range divide(lines, wants) {
		sections[i].write(&b, most)
	}
	return b.Bytes()
}

// divide shares lines among those that want so many each: what one doesn't need the
// others get.
func divide(lines int, wants []int) []int {
	got := make([]int, len(wants))
	for given := true; given; {
		given = false
		for i := range wants {
			if got[i] < wants[i] && lines > 0 {
				got[i]++
				lines--
				given = true
			}
		}
	}
	return got
}

// head writes the state of the whole gateway.
func (t *top) head(b *bytes.Buffer, now *look) {
	state := "ready"
	if now.status.Draining {
		state = "draining"
	}
	fmt.Fprintf(b, "nanogate %s  %s  %d connections  %s\n", strings.Join(now.status.Listen, " "), state, now.status.Clients, now.status.Config)
	problems := slices.Concat(now.status.Problems, now.away())
	for i, p := range problems {
		if i == mostProblems {
			fmt.Fprintf(b, "! and %d more problems\n", len(problems)-i)
			break
		}
		fmt.Fprintln(b, "!", p)
	}
	if c := now.cache; c != nil {
		fmt.Fprintf(b, "cache  %s of %s  %d URLs  %s evicted/s  %d purged\n", mebibytes(c.Bytes), mebibytes(uint64(c.Most)), c.URLs, short(t.rate(now, cacheEvicted)), c.Purged)
	}
}

// away says which sources can't be read, and how old what is known of them is.
func (l *look) away() (all []string) {
	note := func(what string, s *admin.Source) {
		if s.Live {
			return
		}
		text := what + ": " + s.From + " isn't read since " + l.age(s.Since)
		if s.Stored {
			text += ", and what is known was kept on disk " + l.age(s.Read) + " ago"
		}
		if s.Error != "" {
			text += ": " + s.Error
		}
		all = append(all, text)
	}
	if l.status.From != nil {
		note("routes", l.status.From)
	}
	for i := range l.upstreams {
		for k := range l.upstreams[i].Sources {
			note("upstream "+l.upstreams[i].Name, &l.upstreams[i].Sources[k])
		}
	}
	return all
}

// age is how long ago something was.
func (l *look) age(at time.Time) string { return max(0, l.at.Sub(at)).Round(time.Second).String() }

func mebibytes(n uint64) string { return short(float64(n)/(1<<20)) + " MiB" }

// routes are those with the most requests first.
func (t *top) routes(now *look) section {
	routes := slices.Clone(now.routes)
	slices.SortStableFunc(routes, func(a, b admin.Route) int {
		return cmp.Or(cmp.Compare(t.rate(now, "route "+b.Name), t.rate(now, "route "+a.Name)), cmp.Compare(b.Figures.Requests, a.Figures.Requests))
	})
	s := section{what: "routes", head: "REQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\tROUTE\tPATH"}
	for _, r := range routes {
		path := r.Path
		if r.Broken {
			path += " (can't be served)"
		}
		if r.Cache != nil {
			path += "  " + cached(r.Cache)
		}
		s.rows = append(s.rows, fmt.Sprintf("%s%s\t%s", t.cells(now, "route "+r.Name, &r.Figures), clip(r.Name), path))
	}
	return s
}

// cached says which part of a route's requests was served from the cache.
func cached(c *admin.RouteCache) string {
	all, spared := uint64(0), uint64(0)
	for result, n := range c.Results {
		all += n
		if result == cache.Hit.String() || result == cache.HitStale.String() || result == cache.Coalesced.String() || result == cache.Saved.String() {
			spared += n
		}
	}
	return fmt.Sprintf("(%.0f%% from the cache)", 100*float64(spared)/float64(max(all, 1)))
}

func (t *top) endpoints(now *look) section {
	s := section{what: "endpoints", head: "REQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\tACTIVE\tSTATE\tENDPOINT\tUPSTREAM"}
	for _, u := range now.upstreams {
		for _, e := range u.Endpoints {
			state := "up"
			if !e.Usable {
				state = strings.Join(e.Marks, ",")
			}
			s.rows = append(s.rows, fmt.Sprintf("%s%d\t%s\t%s\t%s", t.cells(now, "endpoint "+u.Name+" "+e.Address, &e.Figures), e.Active, state, clip(e.Address), u.Name))
		}
	}
	return s
}

func (t *top) mirrors(now *look) section {
	s := section{what: "mirrors", head: "MIRRORED/S\t" + mirrorHead}
	for _, m := range now.mirrors {
		s.rows = append(s.rows, short(t.rate(now, "mirror "+m.Route))+"\t"+mirrorCells(&m))
	}
	return s
}

func (t *top) canaries(now *look) section {
	s := section{what: "canaries", head: canaryHead}
	for _, c := range now.canaries {
		s.rows = append(s.rows, canaryCells(&c))
	}
	return s
}
