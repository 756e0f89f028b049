//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/explain"
	"dyno.example/dyno/study"
)

// The judge is held to what may be said of one cause, of two and of none.
func TestExplanationsAreJudged(t *testing.T) {
	one, two, none := explained{want: []string{"disk"}}, explained{want: []string{"disk", "lock"}, second: []string{"disk", "lock"}}, explained{}
	for _, c := range []struct {
		x    explained
		said string
		want bool
	}{
		{one, `[{"name":"disk","share":0.9},{"name":"lock","share":0.1}]`, true},
		{one, `[{"name":"disk","share":0.6},{"name":"lock","share":0.4}]`, false},
		{one, `[{"name":"lock","share":0.9}]`, false},
		{one, `[]`, false},
		{two, `[{"name":"lock","share":0.6},{"name":"disk","share":0.4}]`, true},
		{two, `[{"name":"lock","share":0.6},{"name":"work","share":0.2},{"name":"disk","share":0.1}]`, false},
		{two, `[{"name":"disk","share":1}]`, false},
		{none, `[]`, true},
		{none, `[{"name":"steal","share":0.5}]`, true},
		{none, `[{"name":"steal","share":0.5},{"name":"disk","share":0.4}]`, false},
	} {
		var n named
		if err := json.Unmarshal([]byte(`{"causes":`+c.said+`}`), &n); err != nil {
			t.Fatal(err)
		}
		if got := c.x.right(&n); got != c.want {
			t.Errorf("%v of %s: %v", c.x.want, c.said, got)
		}
	}
}

// What has to be named can be.
func TestInjectedCausesHaveNames(t *testing.T) {
	single := 0
	for _, x := range injectedCauses() {
		for _, name := range slices.Concat(x.want, x.second) {
			if !slices.Contains(explain.Names(), explain.Name(name)) {
				t.Errorf("%s wants %q, which is no cause", x.name, name)
			}
		}
		if len(x.want) > 0 && len(x.second) == 0 {
			single++
		}
	}
	if single < 15 {
		t.Errorf("%d causes one at a time", single)
	}
}

// Each service that suffers responds, to hundreds of requests on one connection.
func TestSufferingServicesRespond(t *testing.T) {
	if os.Getenv("DYNO_TRUTH_SUFFER") != "" {
		if err := suffer(strings.Fields(os.Getenv("DYNO_TRUTH_SUFFER"))); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, cause := range []string{"none", "fsync", "work", "fault", "pipe", "loop", "accept", "flock", "lazy"} {
		t.Run(cause, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run", "TestSufferingServicesRespond")
			cmd.Env = append(os.Environ(), "DYNO_TRUTH_SUFFER=-cause "+cause+" -dir "+t.TempDir())
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer in.Close()
			url, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			for range 2*hitEach + 1 {
				r, err := http.Get(strings.TrimSpace(url))
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || string(body) != "ok" {
					t.Fatalf("%q: %v", body, err)
				}
			}
		})
	}
}

// The studies of all injections are right by the lab's own rules.
func TestStudiesOfInjectedCauses(t *testing.T) {
	for _, x := range injectedCauses() {
		s, err := study.Parse("why.yaml", []byte(x.study("url: http://127.0.0.1:1/", 15)), nil)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		} else if !s.Explain || len(s.Loads) != 1 {
			t.Errorf("%s: %+v", x.name, s)
		}
	}
}
