package published

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

// level is that of the intervals of ranks, as in a report.
const level = 0.95

// figures are those of a published run, by group of cells and metric.
type figures map[string]map[string]*column

// column has a metric's values of a group: of each subject, by block.
type column struct {
	subjects []string // in the order of the plan
	values   map[string]map[int]float64
}

// readFigures reads a folder's figures by trial. Of a reference that was measured twice,
// the second arm is left out.
func readFigures(results fs.FS, folder string) (figures, error) {
	all := figures{}
	return all, readPacked(results, path.Join(folder, TrialsName), all.read)
}

// read adds the rows of a table whose first row has the titles.
func (f figures) read(plain io.Reader) error {
	rows := csv.NewReader(plain)
	head, err := rows.Read()
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, title := range head {
		at[title] = i
	}
	for _, title := range []string{"load", "subject", "block", "metric", "value"} {
		if _, ok := at[title]; !ok {
			return fmt.Errorf("there is no column %q", title)
		}
	}
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if arm, ok := at["arm"]; ok && row[arm] == "2" {
			continue
		}
		block, err1 := strconv.Atoi(row[at["block"]])
		value, err2 := strconv.ParseFloat(row[at["value"]], 64)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		f.add(groupOf(head, row), row[at["metric"]], row[at["subject"]], block, value)
	}
}

// groupOf is the title of a row's group of cells: "saturate, connections=64".
func groupOf(head, row []string) string {
	var load string
	var levels []string
	for i, title := range head {
		if factor, ok := strings.CutPrefix(title, "factor."); ok && row[i] != "" {
			levels = append(levels, factor+"="+row[i])
		} else if title == "load" {
			load = row[i]
		}
	}
	slices.Sort(levels)
	return strings.Join(append([]string{load}, levels...), ", ")
}

func (f figures) add(group, metric, subject string, block int, value float64) {
	if f[group] == nil {
		f[group] = map[string]*column{}
	}
	c := f[group][metric]
	if c == nil {
		c = &column{values: map[string]map[int]float64{}}
		f[group][metric] = c
	}
	if c.values[subject] == nil {
		c.subjects = append(c.subjects, subject)
		c.values[subject] = map[int]float64{}
	}
	c.values[subject][block] = value
}

// places ranks the subjects of a column; a place's cell is the subject's index.
func (c *column) places(better stats.Better) []analysis.Place {
	var blocks []int
	for _, of := range c.values {
		for block := range of {
			blocks = append(blocks, block)
		}
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	values := make([][]float64, len(c.subjects))
	for s, name := range c.subjects {
		for _, block := range blocks {
			value, ok := c.values[name][block]
			if !ok {
				value = math.NaN()
			}
			values[s] = append(values[s], value)
		}
	}
	var places []analysis.Place
	for _, s := range stats.Rank(values, better, level) {
		places = append(places, analysis.Place{Rank: s.Rank, Last: s.Last, Subject: c.subjects[s.Subject], Cell: s.Subject, Behind: s.Behind})
	}
	return places
}
