package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
)

// requestSeries are the names under which servers and libraries commonly count the
// requests they have served, the plainest first.
var requestSeries = []string{
	"http_requests_total",
	"http_server_requests_total",
	"http_server_request_duration_seconds_count", // OpenTelemetry's semantic conventions
	"http_server_requests_seconds_count",         // Micrometer
	"http_request_duration_seconds_count",
	"nginx_http_requests_total",
}

// ErrNoRequestSeries says that an endpoint does not count requests under a name
// that is known.
var ErrNoRequestSeries = errors.New("the metrics don't count requests under a name that is known; name the series behind a #, as in http://host/metrics#my_requests_total")

// RequestCount is a server's own count of the requests it has served.
type RequestCount struct {
	Series string  // by which it counts
	Total  float64 // all its samples added up, whatever their labels
}

// CountRequests reads once from a Prometheus endpoint how many requests its server has
// served. A fragment of the URL names the series; without one, common names are tried.
// trust is for https, nil for the system's certificates. It waits for some seconds at
// most.
func CountRequests(ctx context.Context, endpoint string, trust *tls.Config) (RequestCount, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return RequestCount{}, fmt.Errorf("%q is not the URL of a metrics endpoint, such as http://127.0.0.1:8080/metrics", endpoint)
	}
	series := u.Fragment
	u.Fragment = ""
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	s := newScraper(u.String(), checkTime, trust)
	defer s.close()
	text, err := s.get(ctx)
	if err != nil {
		return RequestCount{}, err
	}
	return parseRequests(text, series)
}

// parseRequests adds up a series in Prometheus' text format, or the first of the
// common ones that is there.
func parseRequests(text []byte, series string) (RequestCount, error) {
	totals := make(map[string]float64)
	wanted := requestSeries
	if series != "" {
		wanted = []string{series}
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		name, rest := cutName(line)
		if !slices.Contains(wanted, name) {
			continue
		}
		value, err := parseSample(rest)
		if err != nil {
			return RequestCount{}, fmt.Errorf("line %d: %s: %w", number, name, err)
		}
		totals[name] += value
	}
	for _, name := range wanted {
		if total, ok := totals[name]; ok && !math.IsInf(total, 0) {
			return RequestCount{Series: name, Total: total}, nil
		}
	}
	if series != "" {
		return RequestCount{}, fmt.Errorf("the metrics have no series %.80q", series)
	}
	return RequestCount{}, ErrNoRequestSeries
}
