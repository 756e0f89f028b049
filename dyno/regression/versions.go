package regression

import (
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Versions makes of a study one that has each subject which is built from the
// repository in two versions: as it is in the working tree, under its own name,
// and as it is in the checkout, as "NAME@REF". Other subjects are left out: they
// have no versions to compare; so are claims, which are about the study's own
// subjects. The study's folder is taken from its path.
func Versions(s *study.Study, r *Repository, c *Checkout) (*study.Study, []Pair, error) {
	both := *s
	both.Name, both.Subjects, both.Claims = s.Name+"-gate", nil, nil
	var list []Pair
	for _, subject := range s.Subjects {
		if subject.Run == "" {
			continue
		}
		dir, err := subjectDir(s, &subject)
		if err != nil {
			return nil, nil, err
		}
		inside, err := filepath.Rel(r.Top, dir)
		if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			continue
		}
		if err := sameCommands(&subject, r); err != nil {
			return nil, nil, err
		}
		old, new := subject, subject
		new.Dir = dir
		old.Name, old.Dir = subject.Name+"@"+c.Ref, filepath.Join(c.Tree, inside)
		if _, err := filepath.EvalSymlinks(old.Dir); err != nil {
			return nil, nil, i18n.Errorf("regression.subject-folder-missing", "subject %s: %s has no folder %s, so there is nothing to compare with", subject.Name, c.Ref, inside)
		}
		both.Subjects = append(both.Subjects, old, new)
		list = append(list, Pair{Old: old.Name, New: new.Name})
	}
	if len(list) == 0 {
		return nil, nil, i18n.Errorf("regression.no-subject-of-repository", "study %s has no subject that is built from %s: a gate against a git ref needs one with run:, and with dir: or the study itself in the repository", s.Path, r.Top)
	}
	both.Reference = list[0].Old
	return &both, list, nil
}

// subjectDir is where a subject is built, symbolic links resolved.
func subjectDir(s *study.Study, subject *study.Subject) (string, error) {
	dir := subject.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(s.Path), dir)
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", i18n.Errorf("runner.subject", "subject %s: %w", subject.Name, err)
	}
	return dir, nil
}

// sameCommands refuses commands that would build or run the working tree in both
// versions.
func sameCommands(subject *study.Subject, r *Repository) error {
	for _, command := range []string{subject.Build, subject.Run} {
		if strings.Contains(command, r.Top+string(filepath.Separator)) {
			return i18n.Errorf("regression.subject-path-absolute", "subject %s: %q names the repository by its absolute path, so both versions would be the same program: write it relative to dir", subject.Name, command)
		}
	}
	return nil
}

// Narrow leaves of a study what concerns the subjects and loads named, with
// their old versions: an alarm is confirmed where it was raised. loads are the titles
// of groups, which begin with the load's name.
func Narrow(s *study.Study, list []Pair, subjects, groups []string) (*study.Study, error) {
	narrow := *s
	wanted := func(name string) bool {
		return slices.Contains(subjects, name) || slices.ContainsFunc(list, func(p Pair) bool {
			return p.Old == name && slices.Contains(subjects, p.New)
		})
	}
	narrow.Subjects, narrow.Loads, narrow.Claims = nil, nil, nil
	for _, subject := range s.Subjects {
		if wanted(subject.Name) {
			narrow.Subjects = append(narrow.Subjects, subject)
		}
	}
	for _, l := range s.Loads {
		if slices.ContainsFunc(groups, func(title string) bool { return title == l.Name || strings.HasPrefix(title, l.Name+", ") }) {
			narrow.Loads = append(narrow.Loads, l)
		}
	}
	if len(narrow.Subjects) == 0 || len(narrow.Loads) == 0 {
		return nil, i18n.Errorf("regression.nothing-to-confirm", "nothing of the study is left to confirm the alarm with")
	}
	narrow.Reference = narrow.Subjects[0].Name
	return &narrow, nil
}
