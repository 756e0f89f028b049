package probe

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParseRequests(t *testing.T) {
	for _, c := range []struct {
		name, text, series string
		want               RequestCount
		says               string
	}{
		{"labels add up", "# HELP http_requests_total x\nhttp_requests_total{code=\"200\"} 40\nhttp_requests_total{code=\"}\"} 2 1700000000\n", "", RequestCount{"http_requests_total", 42}, ""},
		{"the plainest name", "http_request_duration_seconds_count 9\nhttp_requests_total 7\n", "", RequestCount{"http_requests_total", 7}, ""},
		{"one that is named", "http_requests_total 7\nmine 3\n", "mine", RequestCount{"mine", 3}, ""},
		{"not a longer name", "http_requests_total_created 7\n", "", RequestCount{}, "don't count requests"},
		{"named and missing", "http_requests_total 7\n", "mine", RequestCount{}, `no series "mine"`},
		{"not a number", "http_requests_total many\n", "", RequestCount{}, "line 1"},
		{"infinite together", "http_requests_total{a=\"1\"} 1e308\nhttp_requests_total{a=\"2\"} 1e308\n", "", RequestCount{}, "don't count"},
		{"nothing", "", "", RequestCount{}, "don't count"},
	} {
		got, err := parseRequests([]byte(c.text), c.series)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestCountRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hits", 12) }))
	defer server.Close()
	if got, err := CountRequests(t.Context(), server.URL+"/metrics#hits", nil); err != nil || got != (RequestCount{"hits", 12}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := CountRequests(t.Context(), server.URL, nil); !errors.Is(err, ErrNoRequestSeries) {
		t.Errorf("error %v", err)
	}
	for _, bad := range []string{"", "localhost/metrics", "ftp://host/", "http://[::1/"} {
		if _, err := CountRequests(t.Context(), bad, nil); err == nil || !strings.Contains(err.Error(), "not the URL") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseRequests(f *testing.F) {
	f.Add([]byte("http_requests_total{a=\"b\"} 1\n"), "")
	f.Add([]byte("x 1 2\n"), "x")
	f.Fuzz(func(t *testing.T, text []byte, series string) {
		if got, err := parseRequests(text, series); err == nil && !(got.Total >= 0) {
			t.Errorf("%+v", got)
		}
	})
}
