// Package collector is what traces and metrics have in common when they are sent to an
// OpenTelemetry collector: its URL and the request fields.
package collector

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"dyno.example/nano/wire/http1"
)

// URL is where a collector takes a signal, "traces" or "metrics": a base gets the path
// that OTLP gives the signal (OTLP 1.x, "OTLP/HTTP Request"), a URL with a path is taken
// as it is.
func URL(base, signal string) string {
	base = strings.TrimSuffix(base, "/")
	if strings.Count(base, "/") == 2 {
		base += "/v1/" + signal
	}
	return base
}

// Headers reads the fields that a collector is sent from a file, "name: value" a line;
// "" is none.
func Headers(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); !ok || !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
			return nil, fmt.Errorf("%s:%d: expected a field as \"name: value\"", path, n)
		}
		all[name] = value
	}
	return all, lines.Err()
}
