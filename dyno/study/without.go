package study

import (
	"regexp"
	"slices"

	"dyno.example/dyno/claim"
	"dyno.example/internal/i18n"
)

// Without returns the study with some of its subjects left out, and with them the
// claims that speak of one of them. If the reference is among them, the first of the remaining
// ones is the reference.
func (s *Study) Without(names ...string) (*Study, error) {
	for _, name := range names {
		if !slices.ContainsFunc(s.Subjects, func(one Subject) bool { return one.Name == name }) {
			return nil, i18n.Errorf("study.subject-to-leave-out", "study %s has no subject %q to leave out; it has %s", s.Name, name, i18n.Names(s.subjectNames()...))
		}
	}
	fewer := *s
	fewer.Subjects = slices.DeleteFunc(slices.Clone(s.Subjects), func(one Subject) bool { return slices.Contains(names, one.Name) })
	if len(fewer.Subjects) == 0 {
		return nil, i18n.Errorf("study.no-subject-left", "study %s has no subject left without %s", s.Name, i18n.Names(names...))
	}
	fewer.Claims = slices.Clone(s.Claims)
	for _, name := range names {
		speaks := regexp.MustCompile(`[\[,=]\s*` + regexp.QuoteMeta(name) + `\s*[,\]]`)
		fewer.Claims = slices.DeleteFunc(fewer.Claims, func(c claim.Claim) bool {
			return slices.ContainsFunc(c.Expressions, speaks.MatchString)
		})
		if name == s.Reference {
			fewer.Reference = fewer.Subjects[0].Name
		}
	}
	return &fewer, nil
}

func (s *Study) subjectNames() []string {
	names := make([]string, len(s.Subjects))
	for i := range s.Subjects {
		names[i] = s.Subjects[i].Name
	}
	return names
}
