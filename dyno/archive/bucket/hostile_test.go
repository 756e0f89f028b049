package bucket

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/archive/s3test"
)

// A store that never comes to the end of a listing is given up, and one that sends requests
// elsewhere doesn't get them sent in the clear.
func TestStoresThatAreHostile(t *testing.T) {
	s3test.SetEnvironment(t)
	var asked atomic.Int32
	const page = `<?xml version="1.0"?><ListBucketResult><Name>b</Name><KeyCount>0</KeyCount><IsTruncated>true</IsTruncated>%s</ListBucketResult>`
	for name, tt := range map[string]struct {
		respond func(w http.ResponseWriter, n int32)
		most    int32
		want    string
	}{
		"the same token for ever": {func(w http.ResponseWriter, _ int32) {
			fmt.Fprintf(w, page, "<NextContinuationToken>same</NextContinuationToken>")
		}, 2, "the store sends the listing back"},
		"two tokens in turn": {func(w http.ResponseWriter, n int32) {
			fmt.Fprintf(w, page, fmt.Sprintf("<NextContinuationToken>t%d</NextContinuationToken>", n%2))
		}, 3, "the store sends the listing back"},
		"no token": {func(w http.ResponseWriter, _ int32) { fmt.Fprintf(w, page, "") }, 1, "goes on, and not where"},
		"elsewhere, in the clear": {func(w http.ResponseWriter, _ int32) {
			w.Header().Set("Location", "http://192.0.2.1/b?list-type=2")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 3, "plain HTTP"},
	} {
		asked.Store(0)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			tt.respond(w, asked.Add(1))
		}))
		defer server.Close()
		l, err := archive.ParseLocation("s3://runs/p?path_style=true&endpoint=" + server.URL)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Open(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = b.List(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) || asked.Load() > tt.most {
			t.Errorf("%s: %v after %d requests", name, err, asked.Load())
		}
	}
}
