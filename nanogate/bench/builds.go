//go:build linux

package main

import (
	"errors"
	"os/exec"

	"dyno.example/dyno/bench/rounds"
)

const (
	buildsName = "builds"
	twin       = "nanogate, again" // the same program: how far two of one build are apart
	other      = "nanogate, other" // another build
)

// buildsCampaign holds nanogate to what it cost in another build: before a change that
// must cost nothing.
func buildsCampaign() campaign {
	return campaign{
		name: buildsName, question: "Does a proxied GET of 13 bytes cost nanogate the CPU time that it did in another build?",
		connections: 64, seconds: 3, gateways: named(nanogate, twin, other), load: (*lab).load, path: plainPath,
		compare: func(s *rounds.Summary) {
			s.Comparisons = append(s.Comparisons,
				rounds.Comparison{Figure: cpuFigure, Of: nanogate, Against: []string{other}, Wanted: 1},
				rounds.Comparison{Figure: cpuFigure, Of: nanogate, Against: []string{twin}, Wanted: 1})
		},
	}
}

// useOther is said which other build takes part in the campaign builds.
func (l *lab) useOther(file string, asked bool) error {
	switch {
	case file == "" && asked:
		return errors.New("-what builds needs -other FILE: another build of nanogate (go build -o FILE ./nanogate/cmd/nanogate, from another commit)")
	case file == "":
		return nil
	}
	path, err := exec.LookPath(file)
	if err != nil {
		return err
	}
	l.other = path
	return nil
}

func plainCommand(program, address, upstream string) []string {
	return []string{program, "run", "--listen", address, "--to", "http://" + upstream, "--loops", "1"}
}
