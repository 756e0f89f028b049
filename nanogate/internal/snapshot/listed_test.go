package snapshot

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/filters"
)

// The page has the table as it is in the code.
func TestFiltersAreInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| filter | phase | asked about heads |\n|---|---|---|\n"
	for _, f := range allFilters() {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, f.Phase, map[bool]string{true: "yes", false: "no"}[f.Heads])
	}
	if !strings.Contains(string(page), table+"\n") {
		t.Errorf("nanogate/docs/design/filters.md should have\n%s", table)
	}
}

// What has a hand in exchanges is in the order in which requests meet it, and there is one row
// for each; the table has all that a route can have.
func TestHandsAreInOrder(t *testing.T) {
	var all filter.Set
	for _, f := range allFilters() {
		if f.With == 0 {
			continue
		}
		if id, rest := f.With.First(); rest != 0 || id.String() != f.Name || all.Before(id) != all {
			t.Errorf("%s has %v after %b", f.Name, id, all)
		}
		all |= f.With
	}
	if want := filter.Set(1<<filter.IDs - 1); all != want&^filter.SetOf(filter.Invalidate, filter.Responses, filter.Shadow) {
		t.Errorf("the table has %b of %b", all, want)
	}
}

// A filter that would never see a request is a mistake of the file, at its route.
func TestFiltersThatSeeNoRequestAreRefused(t *testing.T) {
	for _, ending := range []string{"respond: {status: 204}", "redirect: https://b.example/"} {
		c := parse(t, "routes:\n  - {respond: {status: 200}, match: {path: /a}}\n  - {"+ending+", fault: {delay: {for: 1s, share: 10%}}}\n")
		problems := Check(c, nil)
		if len(problems) != 1 || problems[0].Line != 4 || !strings.Contains(problems[0].Error(), "fault would never see a request") {
			t.Errorf("%s: %v", ending, problems)
		}
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

// allFilters lists all kinds in the order in which requests meet them.
func allFilters() []Listed {
	return list(func(*kind) []string { return []string{""} }, func(*filters.Kind) bool { return true })
}
