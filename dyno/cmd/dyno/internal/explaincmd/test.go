package explaincmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/runcmd"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// changed is what the subject is called with the cause taken away.
const changed = "changed"

// effects are the figures whose effect is shown.
var effects = []string{"response.p50", "response.p99", "response.p99.9"}

// testCause measures a subject of a run again, as it is and without a cause, in turns and
// with the seed of the run, and tells the effect.
func testCause(ctx context.Context, f *explainFlags, global *cli.Global, ref string) error {
	list, a, err := f.chosen(ctx, global, ref)
	if err != nil {
		return err
	}
	e := &list[0]
	if slices.ContainsFunc(list, func(o explain.Explanation) bool { return o.Subject != e.Subject || o.Load != e.Load }) {
		return cli.UsageError(i18n.Errorf("explaincmd.choose", "run %s has several subjects or loads: choose with --subject and --load what to test", a.Run.ID))
	}
	s, what, err := comparison(&a.Run, e.Subject, e.Load, explain.Name(f.test))
	if err != nil {
		return cli.UsageError(err)
	}
	global.Err().Print(i18n.New("explaincmd.testing", "%s as it is, and %s", e.Subject, what))
	command := []string{"dyno", "explain", a.Run.ID, "--test", f.test, "--subject", e.Subject, "--load", e.Load}
	run, err := runcmd.CarryOut(ctx, global, s, a.Run.Plan.Seed, f.keepGoing, command)
	if run == nil || err != nil {
		return err
	}
	after, err := analysis.Analyse(run)
	if err != nil {
		return err
	}
	return tellEffect(global, after, e.Subject, what)
}

// comparison is the run's study of one subject, as it is and with the cause taken away.
func comparison(m *archive.Manifest, subject, load string, cause explain.Name) (*study.Study, i18n.Message, error) {
	catalog, err := cli.Catalog()
	if err != nil {
		return nil, i18n.Message{}, err
	}
	s, err := study.Parse(m.StudyPath, []byte(m.StudySource), catalog.Names())
	if err != nil {
		return nil, i18n.Message{}, err
	}
	if m.Quick {
		s = s.Quick()
	}
	at := slices.IndexFunc(s.Subjects, func(one study.Subject) bool { return one.Name == subject })
	if at < 0 {
		return nil, i18n.Message{}, i18n.Errorf("explaincmd.no-subject", "the run's study has no subject %s", subject)
	}
	language := ""
	if i := slices.IndexFunc(m.Subjects, func(one archive.Subject) bool { return one.Name == subject }); i >= 0 {
		language = m.Subjects[i].Language
	}
	other, what, err := without(s.Subjects[at], cause, language)
	if err != nil {
		return nil, what, err
	}
	other.Name = subject + "-" + changed
	s.Subjects = []study.Subject{s.Subjects[at], other}
	s.Loads = slices.DeleteFunc(slices.Clone(s.Loads), func(l study.Load) bool { return l.Name != load })
	s.Claims, s.Reference, s.Twin, s.Until = nil, subject, false, study.Until{}
	s.Blocks = max(s.Blocks, blocksLeast)
	return s, what, nil
}

// blocksLeast is of how few blocks the effect has no interval.
const blocksLeast = 3

// tellEffect says by how much the change changed the tail.
func tellEffect(global *cli.Global, a *analysis.Analysis, subject string, what i18n.Message) error {
	out := global.Out()
	told := false
	for g := range a.Groups {
		for c := range a.Groups[g].Cells {
			cell := &a.Groups[g].Cells[c]
			if cell.Subject != subject+"-"+changed {
				continue
			}
			rows := [][]string{{a.Groups[g].Title, "×", "95 %"}}
			for _, metric := range effects {
				ratio, ok := cell.Ratios[metric]
				if !ok {
					continue
				}
				told = true
				interval := "–"
				if ratio.Level > 0 {
					interval = fmt.Sprintf("%s–%s", short(ratio.Low), short(ratio.High))
				}
				rows = append(rows, []string{metric, short(ratio.Estimate), interval})
			}
			if err := cli.PrintTable(rows); err != nil {
				return err
			}
		}
	}
	if !told {
		return i18n.Errorf("explaincmd.no-effect", "no figure of both can be used, so that the effect isn't known; dyno show %s says why", a.Run.ID)
	}
	out.Print(i18n.New("explaincmd.effect", "times as long as it is, of %s: %s", subject, what))
	return nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
