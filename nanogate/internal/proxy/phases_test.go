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
func TestPhasesAreInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/request.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| phase | may be followed by |\n|---|---|\n"
	for from, all := range moves {
		var to []string
		for _, p := range all {
			to = append(to, p.String())
		}
		table += fmt.Sprintf("| %s | %s |\n", phase(from), strings.Join(to, ", "))
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
			c := &client{phase: phase(from)}
			move(l, c, phase(to))
			has := false
			for _, p := range moves[from] {
				has = has || p == phase(to)
			}
			if told := l.server.Violations.Load() == 1; told == has || c.phase != phase(to) {
				t.Errorf("from %s to %s: told %v", phase(from), phase(to), told)
			}
		}
	}
}
