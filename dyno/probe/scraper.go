package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ScrapeTime is how long a snapshot waits for the subject's metrics endpoint.
const ScrapeTime = 100 * time.Millisecond

const (
	checkTime     = 5 * time.Second // for a check, before any load
	maxMetrics    = 1 << 20         // bytes of a response
	maxHeaders    = 64 << 10        // bytes
	metricsAccept = "text/plain;version=0.0.4"
)

// scraper reads a metrics endpoint over one connection, which it keeps.
type scraper struct {
	url       string
	limit     time.Duration // for one response
	transport *http.Transport
}

// newScraper makes a scraper that verifies servers by trust, where url is https; nil
// trusts the system's certificates.
func newScraper(url string, limit time.Duration, trust *tls.Config) *scraper {
	// Everything is at its zero value but what bounds it: no proxy, no
	// compression for the subject to spend CPU time on, no HTTP/2.
	return &scraper{url: url, limit: limit, transport: &http.Transport{
		DisableCompression: true, MaxConnsPerHost: 1, MaxResponseHeaderBytes: maxHeaders, TLSClientConfig: trust,
	}}
}

func (s *scraper) close() { s.transport.CloseIdleConnections() }

// request sends the request. The function that it returns collects the response, and
// must be called.
func (s *scraper) request() (collect func() (MetricsTotals, error)) {
	var totals MetricsTotals
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		totals, err = s.scrape()
	}()
	return func() (MetricsTotals, error) {
		<-done // in time: the question has a deadline
		return totals, err
	}
}

func (s *scraper) scrape() (MetricsTotals, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	text, err := s.get(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return MetricsTotals{}, fmt.Errorf("no response within %v", s.limit)
	}
	if err != nil {
		return MetricsTotals{}, err
	}
	values, err := parseMetrics(text)
	return MetricsTotals{values}, err
}

// get sends one request: a transport, unlike a client, follows no redirect.
func (s *scraper) get(ctx context.Context) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", metricsAccept)
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", s.url, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s responded with %s, expected 200 OK; redirects are not followed", s.url, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMetrics+1))
	if err != nil {
		return nil, fmt.Errorf("reading the response of %s: %w", s.url, err)
	}
	if len(text) > maxMetrics {
		return nil, fmt.Errorf("the response of %s has more than %d bytes", s.url, maxMetrics)
	}
	return text, nil
}

// CheckMetrics requests a metrics endpoint once and says what is wrong with it. trust
// is for https, nil for the system's certificates. It waits for some seconds at most.
func CheckMetrics(url string, trust *tls.Config) error {
	s := newScraper(url, checkTime, trust)
	defer s.close()
	if _, err := s.scrape(); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
