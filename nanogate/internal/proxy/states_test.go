//go:build linux

package proxy

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
)

// The page has the table as it is in the code.
func TestStatesAreInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/request.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| state | may be followed by |\n|---|---|\n"
	for from, all := range moves {
		var to []string
		for _, p := range all {
			to = append(to, p.String())
		}
		table += fmt.Sprintf("| %s | %s |\n", state(from), strings.Join(to, ", "))
	}
	if !strings.Contains(string(page), table+"\n") {
		t.Errorf("nanogate/docs/design/request.md should have\n%s", table)
	}
}

// A move that the table doesn't have is told as a mistake, and one that it has isn't.
func TestMovesAreHeldToTheTable(t *testing.T) {
	for from := range moves {
		for to := range moves {
			l := &loop{server: &Server{log: slog.New(slog.DiscardHandler)}}
			c := &client{state: state(from)}
			enter(l, c, state(to))
			has := false
			for _, p := range moves[from] {
				has = has || p == state(to)
			}
			if told := l.server.Violations.Load() == 1; told == has || c.state != state(to) {
				t.Errorf("from %s to %s: told %v", state(from), state(to), told)
			}
		}
	}
}
