package study

import (
	"strings"
	"testing"

	"dyno.example/internal/i18n"
)

func TestDescribe(t *testing.T) {
	s := parse(t, `study: s
subjects: [go/gin, {name: mine, run: ./mine}]
requests: [{name: a, get: /a}, {name: b, get: /b}]
loads: [{name: full, closed: {}}]
factors: {env.X: [1, ""], connections: [8, 64]}
blocks: 5
trial: {warmup: 1s, duration: 2s}
`)
	const want = `plan: 12 cells × 5 blocks = 60 trials, about 3m30s; seed 3
    1  go/gin             full: closed, 8 connections; a, b; connections=8; env.X=1
    2  go/gin             full: closed, 64 connections; a, b; connections=64; env.X=1
    3  go/gin             full: closed, 8 connections; a, b; connections=8; env.X=""
    4  go/gin             full: closed, 64 connections; a, b; connections=64; env.X=""
    5  mine               full: closed, 8 connections; a, b; connections=8; env.X=1
    6  mine               full: closed, 64 connections; a, b; connections=64; env.X=1
    7  mine               full: closed, 8 connections; a, b; connections=8; env.X=""
    8  mine               full: closed, 64 connections; a, b; connections=64; env.X=""
    9  go/gin             full: closed, 8 connections; a, b; connections=8; env.X=1; again (A/A)
   10  go/gin             full: closed, 64 connections; a, b; connections=64; env.X=1; again (A/A)
   11  go/gin             full: closed, 8 connections; a, b; connections=8; env.X=""; again (A/A)
   12  go/gin             full: closed, 64 connections; a, b; connections=64; env.X=""; again (A/A)
block 1: cells 12 8 9 6 2 5 3 11 4 7 10 1
block 2: cells 1 10 7 4 11 3 5 2 6 9 8 12
block 3: cells 10 4 1 3 7 2 11 9 5 12 6 8
… and 2 more blocks, each in an order of its own
`
	if got := described(expand(t, s, 3)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDescribeOpenAndShort(t *testing.T) {
	s := parse(t, minimal+"loads: [{name: steady, open: {rate: 1500000}}]\nblocks: 1\n")
	const want = `plan: 1 cell × 1 block = 1 trial, about 13s; seed 1
    1  go/gin             steady: open, 1500000 requests/s (poisson), 64 connections; root
block 1: cells 1
`
	if got := described(expand(t, s, 1)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := described(Plan{}); got != "plan: 0 cells × 0 blocks = 0 trials, about 0s; seed 0\n" {
		t.Errorf("an empty plan: %q", got)
	}
}

func described(p Plan) string {
	var b strings.Builder
	p.Describe(&b, i18n.Message.String)
	return b.String()
}
