package probe

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The series that are read. The client libraries of Prometheus have the same
// names for process_*; go_* are those of its Go client.
const (
	seriesStart      = "process_start_time_seconds"
	seriesCPU        = "process_cpu_seconds_total"
	seriesRSS        = "process_resident_memory_bytes"
	seriesOpenFiles  = "process_open_fds"
	seriesThreads    = "process_threads"
	seriesGoroutines = "go_goroutines"
	seriesGCCycles   = "go_gc_duration_seconds_count"
	seriesGCPause    = "go_gc_duration_seconds_sum"
	seriesHeap       = "go_memstats_heap_alloc_bytes"
	seriesAllocBytes = "go_memstats_alloc_bytes_total"
	seriesAllocCount = "go_memstats_mallocs_total"
)

// isWanted reports whether a series is one of those that are read.
func isWanted(series string) bool {
	switch series {
	case seriesStart, seriesCPU, seriesRSS, seriesOpenFiles, seriesThreads, seriesGoroutines,
		seriesGCCycles, seriesGCPause, seriesHeap, seriesAllocBytes, seriesAllocCount:
		return true
	}
	return false
}

// parseMetrics picks the series that are read out of a text in Prometheus'
// exposition format, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Other lines
// are not looked into. The text comes from the program under test and is not
// trusted: values are finite and at least 0.
//
// prometheus/common/expfmt would parse all of it, into families that are then searched:
// thousands of series of a large program, within the probe's time on the CPUs that are
// measured, and it refuses a text for a line that nobody reads. What is read here are
// eleven names.
func parseMetrics(text []byte) (map[string]float64, error) {
	values := make(map[string]float64)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		series, rest := cutName(line)
		if !isWanted(series) {
			continue
		}
		if _, twice := values[series]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice: the endpoint must tell about one process only", number, series)
		}
		value, err := parseSample(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", number, series, err)
		}
		values[series] = value
	}
	if len(values) == 0 {
		return nil, errors.New("the response has none of the process_… and go_… series of Prometheus' client libraries")
	}
	return values, nil
}

// sumSeries adds up the samples of each series named, whatever their labels.
func sumSeries(text []byte, names []string) (map[string]float64, error) {
	sums := make(map[string]float64)
	number := 0
	for line := range bytes.Lines(text) {
		number++
		series, rest := cutName(line)
		if !slices.Contains(names, series) {
			continue
		}
		value, err := parseSample(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", number, series, err)
		}
		sums[series] += value
	}
	return sums, nil
}

// cutName splits a line behind the series' name; a comment has none.
func cutName(line []byte) (name string, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	end := bytes.IndexFunc(line, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == ':')
	})
	if end < 0 {
		end = len(line)
	}
	return string(line[:end]), line[end:]
}

// parseSample reads what follows a name: labels if any, the value, and perhaps
// a time, which is of no use here.
func parseSample(rest []byte) (float64, error) {
	if len(rest) > 0 && !strings.ContainsRune(" \t\r\n{", rune(rest[0])) {
		return 0, fmt.Errorf("expected a space after the name, got %.1q", rest)
	}
	rest = bytes.TrimLeft(rest, " \t")
	if bytes.HasPrefix(rest, []byte("{")) {
		var ended bool
		if rest, ended = cutLabels(rest); !ended {
			return 0, errors.New("the labels have no end")
		}
	}
	fields := bytes.Fields(rest)
	if len(fields) < 1 || len(fields) > 2 {
		return 0, fmt.Errorf("expected a value and perhaps a time, got %d words", len(fields))
	}
	value, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil || !(value >= 0) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("expected a number of at least 0, got %.40q", fields[0])
	}
	return value, nil
}

// cutLabels returns what follows the labels at the beginning of text. A brace
// within a quoted value is a part of it.
func cutLabels(text []byte) (rest []byte, ended bool) {
	quoted := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			return text[i+1:], true
		}
	}
	return nil, false
}
