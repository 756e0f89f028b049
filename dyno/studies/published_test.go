package studies_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
)

// withoutFigure are comparisons that name no published figure though their claim was
// published with figures, and why. Keys are a claim's ID and the comparison as written.
var withoutFigure = map[string]string{
	"gate-concurrency-files: errors[limited, connections=15000] > 1%":                                                              "published is that it refuses, and at which number of connections, which is the level",
	"gate-concurrency-files: errors[limited, connections=10000] < 1%":                                                              "published is at which number of connections it begins, which is the level",
	"gate-concurrency-files: errors[unlimited, connections=15000] < 1%":                                                            "published is that the limit of open files is the cause, without a figure",
	"six-cpu-bound: preemptions[env.GOMAXPROCS=4] / cpu[env.GOMAXPROCS=4] > preemptions[env.GOMAXPROCS=1] / cpu[env.GOMAXPROCS=1]": "published is none with one P, which no ratio can be taken of: what is claimed is that there are more with four",
	"gate-shedding: errors[shedding] < 1%":                                                                                         "that the health route stays up has no figure",
	"gate-shedding-recovery: errors[gin] < 70%":                                                                                    "that it half opens has no figure but the time, which is scaled",
	"nano-async-log: errors[env.LOG_HOW=ring] < 0.1%":                                                                              "published is the share of batches that failed; what is asked is that no throughput comes of lines that were lost",
	"nano-tenants: errors[env.LOG_BURST=28000, env.LOG_BURST_NICE=10] < 1%":                                                        "the published number of events is the level, and that they came is what a response tells",
	"nano-breaker-steps: errors[gin, rate=10] < 2%":                                                                                "one failure in 500 requests is none of the 60 here: what is claimed is that next to none fails",
	"gate-timeout: response.p90[gin, env.GATEWAY_TIMEOUT=150ms] < 150ms":                                                           "the published time is the level",
	"gate-timeout: response.p90[gin, env.GATEWAY_TIMEOUT=150ms] / response.p90[gin, env.GATEWAY_TIMEOUT=0s] < 1":                   "the published time is the level",
	"six-replica-lag: response.p50[request=visible, env.LAG_WRITES=0] - response.p50[request=commit, env.LAG_WRITES=0] < 1ms":      "published is nothing, which takes a limit below which it is so",
	"six-local-cache-fragmentation: service.mean[env.CACHE_POLICY=lru] > 50ms":                                                     "0.35 is what the program compares with: what is claimed is that it is so most of the time",
	"six-journey-steps: throughput[pool] / throughput[naive] > 1":                                                                  "published are the first step and the last: what is claimed of each is that it brings something",
	"six-journey-steps: throughput[queries] / throughput[pool] > 1":                                                                "published are the first step and the last: what is claimed of each is that it brings something",
	"six-journey-steps: throughput[cache] / throughput[queries] > 1":                                                               "published are the first step and the last: what is claimed of each is that it brings something",
	"six-journey-steps: throughput[local] / throughput[cache] > 1":                                                                 "published are the first step and the last: what is claimed of each is that it brings something",
	"six-journey-steps: throughput[rebuilt] / throughput[local] > 1":                                                               "published are the first step and the last: what is claimed of each is that it brings something",
	"gate-dns: response.p99[env.GATEWAY_RESOLVER=bounded] / response.p99[env.GATEWAY_RESOLVER=patient] < 1":                        "no figure was published with a time-out",
	"gate-dns: explained.dns[env.GATEWAY_RESOLVER=patient] > 50%":                                                                  "whether the lab names it is a question of ours: more than half of what slow requests took",
	"gate-multiplexing: throughput[load=http1, connections=900] < 970":                                                             "the published number of connections is the level at which it is asked, and the rate is given",
	"gate-multiplexing: throughput[load=http1, connections=986] >= 970":                                                            "the published number of connections is the level at which it is asked, and the rate is given",
	"gate-multiplexing: throughput[load=http2, connections=3] >= 970":                                                              "the published number of connections is the level at which it is asked, and the rate is given",
	"gate-multiplexing-grpc: throughput[go/grpc-go, connections=2] >= 970":                                                         "the published number of connections is the level at which it is asked, and the rate is given",
	"gate-multiplexing-grpc: throughput[go/connect-go, connections=2] >= 970":                                                      "the published number of connections is the level at which it is asked, and the rate is given",
}

// Every comparison of a claim that was published with figures says which of them it is
// held to: without, the verdict can't tell "as published" from "in that direction".
func TestComparisonsNameWhatWasPublished(t *testing.T) {
	left, checked := maps.Clone(withoutFigure), 0
	for _, name := range studies.Names() {
		s, err := study.Open(name, subjectNames(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Claims {
			if !strings.ContainsAny(c.Published, "0123456789") {
				continue
			}
			for _, text := range c.Expressions {
				e, err := claim.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				for i := range e.Comparisons {
					checked++
					key := c.ID + ": " + e.Comparisons[i].Text
					if e.Comparisons[i].Op == claim.Between {
						continue // whose ends are what was published
					}
					if _, ok := withoutFigure[key]; !ok && !e.Comparisons[i].NamesPublished() {
						t.Errorf("%s: name the figure of %q behind the comparison, or say in withoutFigure why there is none", key, c.Published)
					} else if ok && e.Comparisons[i].NamesPublished() {
						t.Errorf("%s names its figure and needs no exception", key)
					}
					delete(left, key)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no claim was looked at")
	}
	for key := range left {
		t.Errorf("%s is an exception of nothing", key)
	}
}

// What a page says of claims and of their records is counted and looked up, not remembered.
func TestNothingIsRememberedOfClaims(t *testing.T) {
	c := studies.Claims()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d published claims", len(c.Claims)); !strings.Contains(string(readme), want) {
		t.Errorf("README.md doesn't say %q", want)
	}
	for _, one := range c.Claims {
		for _, text := range []string{one.Note, one.Departs, one.Conditions} {
			if strings.Contains(text, "archived") || strings.Contains(text, "recorded run") {
				t.Errorf("%s: %q is about a record, which the next one makes false: the page says what a record is of", one.ID, text)
			}
		}
	}
}

// A claim about a program that the study has not says so in the catalogue, as the page counts
// these apart.
func TestSubstitutesAreNamed(t *testing.T) {
	c := studies.Claims()
	for _, name := range studies.Names() {
		s, err := study.Open(name, subjectNames(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, held := range s.Claims {
			for _, one := range c.Claims {
				if one.ID == held.ID && strings.Contains(held.Says, "of dyno's own nano") && one.Substitute == "" {
					t.Errorf("dyno/studies/claims.yaml: %s is measured on dyno's own nano and has no substitute", one.ID)
				}
			}
		}
	}
}
