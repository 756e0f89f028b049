package subject

import (
	"slices"
	"strings"

	"dyno.example/dyno/internal/shell"
	"dyno.example/internal/i18n"
)

// flagsVariable gives a build command of the user's the flags of a level.
const flagsVariable = "DYNO_BUILD_FLAGS"

// WithBuildFlags returns the manifest of a Go program with more flags for go
// build, given in the syntax of a shell. They come after the manifest's own and
// so win over them. The build has a place of its own in the cache, as its
// command is part of the key.
func (m Manifest) WithBuildFlags(flags string) (Manifest, error) {
	words, err := shell.Split(flags)
	if err != nil {
		return m, i18n.Errorf("subject.build-flags", "build flags %q: %w", flags, err)
	}
	if len(words) == 0 {
		return m, nil
	}
	before, after, ok := strings.Cut(m.Build.Command, " -o $OUT/")
	if m.Language != "go" || !ok || !strings.Contains(before, "go build") {
		return m, i18n.Errorf("subject.build-command-unknown", "subject %s is not built by \"go build … -o $OUT/…\", so that build flags can't be added", m.Name)
	}
	m.Build.Command = before + " " + shell.Join(words) + " -o $OUT/" + after
	return m, nil
}

// WithArgs returns the specification with more arguments, given in the syntax of
// a shell, at the end of its command.
func (s StartSpec) WithArgs(args string) (StartSpec, error) {
	words, err := shell.Split(args)
	if err != nil {
		return s, i18n.Errorf("subject.subject-arguments", "subject %s: arguments %q: %w", s.Name, args, err)
	}
	switch {
	case len(words) == 0:
	case len(s.Command) > 0:
		s.Command = slices.Concat(s.Command, literal(words))
	default:
		s.Shell = strings.TrimRight(s.Shell, " \t\n") + " " + shell.Join(words)
	}
	return s, nil
}

// literal keeps $ in words from being read as the beginning of a variable's name
// when the command is expanded.
func literal(words []string) []string {
	kept := make([]string, len(words))
	for i, w := range words {
		kept[i] = strings.ReplaceAll(w, "$", dollar+dollar)
	}
	return kept
}

// dollar is the name of a variable whose value is itself: $$ stands for it.
const dollar = "$"
