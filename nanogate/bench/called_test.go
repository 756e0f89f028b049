//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/nano/wire/grpc"
)

// The response is a message of the method's type, and what a gateway is sent comes to it
// with the path's number; the descriptors have what the file imports.
func TestUsers(t *testing.T) {
	b, err := userMessage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := grpc.ParsePrefix(b); err != nil || int(n) != len(b)-grpc.PrefixLen {
		t.Fatalf("a prefix of %d bytes before %d, %v", n, len(b), err)
	}
	_, user, err := usersDescriptors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	given, sent := dynamicpb.NewMessage(user), dynamicpb.NewMessage(user)
	if err := proto.Unmarshal(b[grpc.PrefixLen:], given); err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal([]byte(strings.Replace(userSent, "{", `{"id":"7",`, 1)), sent); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(given, sent) {
		t.Errorf("%v\nis not %v", given, sent)
	}

	l := &lab{Lab: rounds.Lab{Dir: t.TempDir()}}
	if err := l.describeUsers(t.Context()); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(l.path(usersDescribed))
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(written, set); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range set.File {
		names = append(names, f.GetName())
	}
	if at := slices.Index(names, "google/api/http.proto"); at < 0 || at > slices.Index(names, "users.proto") {
		t.Errorf("files %v", names)
	}
}

// A gateway is measured whose response is right, whatever the order of its members; any
// other is told.
func TestTranscodes(t *testing.T) {
	for _, c := range []struct {
		status       int
		text, refuse string
	}{
		{200, userGiven, ""},
		{200, strings.Replace(userGiven, `{"id":"7",`, `{ "id" : "7" , `, 1), ""},
		{200, strings.Replace(userGiven, "17", "18", 1), "not"},
		{200, "{}", "not"},
		{404, userGiven, "404"},
		{502, "no JSON", "no JSON"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.text))
		}))
		err := transcodes(t.Context(), s.URL)
		s.Close()
		if (err == nil) != (c.refuse == "") || err != nil && !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("%d %s: %v", c.status, c.text, err)
		}
	}
}

// Hits are measured of a cache that says that it has the response, in either gateway's words.
func TestStored(t *testing.T) {
	for said, fine := range map[string]bool{"nanogate; hit; ttl=86399": true, "HIT": true, "nanogate; fwd=uri-miss; stored": false, "MISS": false, "": false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Status", said)
			_, _ = w.Write([]byte("Hello, World!"))
		}))
		err := stored(t.Context(), s.URL)
		s.Close()
		if (err == nil) != fine {
			t.Errorf("%q: %v", said, err)
		}
	}
}

func TestSumsOf(t *testing.T) {
	text := "# TYPE a counter\na{route=\"{x}\",code=\"2xx\"} 3\na{route=\"y\"} 4\na_more{} 9\nb{} 1e3\n"
	if sums, err := sumsOf(strings.NewReader(text), "a", "b", "c"); err != nil || !slices.Equal(sums, []float64{7, 1000, 0}) {
		t.Errorf("%v, %v", sums, err)
	}
	if _, err := sumsOf(strings.NewReader("a{} many\n"), "a"); err == nil {
		t.Error("a value that is no number is taken")
	}
}

// What mirroring adds is held against what two equal gateways differ by.
func TestCompareMirroring(t *testing.T) {
	r := &rounds.Record{Settings: rounds.Settings{Rounds: 7}, Started: time.Unix(0, 0)}
	show := func(mirrored float64) string {
		r.Trials = nil
		for round := range 7 {
			noise := 1 + 0.01*float64(round%3)
			for tool, p99 := range map[string]float64{nanogate: 100, again: 100 * noise, mirroring: mirrored * noise} {
				r.Trials = append(r.Trials, rounds.Trial{Round: round, Tool: tool, Figures: map[string]float64{tail99: p99}})
			}
		}
		c := mirrorCampaign()
		summary := c.summary()
		var b strings.Builder
		summary.Show(&b, r, false)
		return b.String()
	}
	if text := show(100); !strings.Contains(text, again+" / "+nanogate) || strings.Contains(text, "missed") {
		t.Errorf("equal: %s", text)
	}
	if text := show(150); !strings.Contains(text, "missed") {
		t.Errorf("half as long again: %s", text)
	}
}
