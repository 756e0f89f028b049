package snapshot

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page has the table as it is in the code.
func TestFiltersAreInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| filter | phase | asked about heads |\n|---|---|---|\n"
	for _, f := range Filters() {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, f.Phase, map[bool]string{true: "yes", false: "no"}[f.Heads])
	}
	if !strings.Contains(string(page), table+"\n") {
		t.Errorf("nanogate/docs/design/filters.md should have\n%s", table)
	}
}

// The table is in the order of phases, as the chain of a route is.
func TestFiltersAreInOrder(t *testing.T) {
	text := "routes:\n  - {to: u, request-id: on, allow: 10.0.0.0/8, limit: [{rate: 1/s}, {rate: 2/s, before: guards}], csrf: on, rules: 'true', breaker: {errors: 50%}, concurrency: 3}\nupstreams: {u: [\"127.0.0.1:1\"]}\n"
	c := parse(t, text)
	s := NewBuilder(1).Build(c, nil)
	defer s.Retire(nil)
	var chain, listed []string
	for _, step := range s.Routes[0].Chain {
		chain = append(chain, step.Phase.String()+"."+step.Name)
	}
	for _, f := range FiltersOf(c, c.Routes[0], nil) {
		if f.Heads {
			listed = append(listed, f.Phase.String()+"."+f.Name)
		}
	}
	want := "access.access access.rate access.csrf access.request-id authorization.rules limits.rate limits.concurrency limits.breaker"
	if got := strings.Join(chain, " "); got != want {
		t.Errorf("the chain is %s", got)
	}
	if got := strings.Join(listed, " "); got != want {
		t.Errorf("listed is %s", got)
	}
}
