package study

import (
	"slices"
	"strconv"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Levels of the factor protocol.
const (
	levelHTTP1 = "http1"
	levelHTTP2 = "http2"
)

func protocolLevel(at scope, _ *Study) string { return at.oneOf(levelHTTP1, levelHTTP2) }

func streamsLevel(at scope, _ *Study) string {
	return strconv.Itoa(at.Integer(1, request.MostStreams))
}

func applyProtocol(c *Cell, _, level string, _ *Study) {
	if level == levelHTTP1 {
		c.Link.Streams = 0
		return
	}
	c.Link.Streams = max(c.Link.Streams, 1)
}

// applyStreams leaves a cell of HTTP/1.1 as it is, which has one request under way on
// a connection.
func applyStreams(c *Cell, _, level string, _ *Study) {
	if c.Levels["protocol"] != levelHTTP1 {
		c.Link.Streams, _ = strconv.Atoi(level)
	}
}

// checkStreams refuses numbers of streams where HTTP/1.1 is all that is spoken, and
// such as HTTP/1.1 can't have where it is spoken too.
func checkStreams(e entry, s *Study, factors []Factor) {
	protocols := levelsOf(factors, "protocol")
	for _, l := range s.Loads {
		if l.Link.Streams == 0 && !slices.Contains(protocols, levelHTTP2) {
			e.name.Report(i18n.New("study.load-without-streams", "the load %s has one request under way on a connection, as HTTP/1.1 has it", form.Quote(l.Name)), i18n.New("study.make-load-http2", "give that load http2: true"))
		}
	}
	if !slices.Contains(protocols, levelHTTP1) {
		return
	}
	i := slices.IndexFunc(factors, func(f Factor) bool { return f.Name == "streams" })
	least := factors[i].Levels
	if r := factors[i].Range; r != nil {
		least = []string{r.text(r.From)}
	}
	if len(least) > 0 && !slices.Contains(least, "1") {
		e.name.Report(i18n.New("study.protocol-without-streams", "the factor protocol has HTTP/1.1 too, which has one request under way on a connection"), i18n.New("study.add-level", "add the level 1"))
	}
	if s.Design.Kind == OneAtATime && protocols[0] == levelHTTP1 {
		e.name.Report(i18n.New("study.streams-with-first-protocol", "one at a time, the streams vary at the first protocol, and HTTP/1.1 has none"), i18n.Verbatim("protocol: [http2, http1]"))
	}
}

// levelsOf are those of a factor, nil if the study doesn't vary it.
func levelsOf(factors []Factor, name string) []string {
	for i := range factors {
		if factors[i].Name == name {
			return factors[i].Levels
		}
	}
	return nil
}

// withoutVain returns the points of a design in which each level changes something:
// over HTTP/1.1 all numbers of streams come to one. rows are the points of a matrix of
// samples, nil if there is none; the second result says which points they are now.
func withoutVain(points []map[string]string, rows []int) ([]map[string]string, []int) {
	var kept []map[string]string
	is := make([]int, len(points)) // where each point is in kept
	single := make(map[string]int) // by what else distinguishes points of HTTP/1.1
	for i, levels := range points {
		if _, varied := levels["streams"]; !varied || levels["protocol"] != levelHTTP1 {
			is[i] = len(kept)
			kept = append(kept, levels)
			continue
		}
		levels = with(levels, "streams", "1")
		key := pointKey(levels)
		at, seen := single[key]
		if !seen {
			at = len(kept)
			single[key] = at
			kept = append(kept, levels)
		}
		is[i] = at
	}
	var now []int
	for _, row := range rows {
		now = append(now, is[row])
	}
	return kept, now
}
