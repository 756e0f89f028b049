package studies_test

import (
	"testing"
	"time"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
)

const (
	enough  = 6                // blocks that it takes for a verdict without the word that they are few
	longest = 15 * time.Minute // that a short form takes
)

// The short form of a study with claims has blocks enough for verdicts, ends at no interim look,
// and is over in a quarter of an hour at most. Sobol indices rest on samples, and two blocks.
func TestShortFormsDecide(t *testing.T) {
	shipped, decided := subjectNames(t), 0
	for _, name := range studies.Names() {
		src, err := studies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := study.Parse(name+".yaml", src, shipped)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Claims) == 0 {
			continue
		}
		decided++
		least := enough
		if s.Design.Samples > 0 {
			least = 2
		}
		// As dyno run has it by itself, and with slices alone, as a claim about what they tell needs no more.
		usual := s.UsuallySliced()
		for how, form := range map[string]*study.Study{"as it is": s, "usually": usual, "in slices": s.WithSlices(study.Slices{Length: usual.Trial.Slices.Length})} {
			q := form.Quick()
			if q.Blocks < least {
				t.Errorf("%s, %s: %d blocks in the short form; %d are asked for", name, how, q.Blocks, least)
			}
			if q.Until != s.Until {
				t.Errorf("%s, %s: the short form ends early: %+v", name, how, q.Until)
			}
			plan, err := study.Expand(q, 1)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Estimate > longest {
				t.Errorf("%s, %s: the short form takes %v; %v are allowed", name, how, plan.Estimate, longest)
			}
		}
	}
	if decided == 0 {
		t.Error("no study decides anything")
	}
}
