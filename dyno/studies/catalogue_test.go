package studies_test

import (
	"strings"
	"testing"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
)

func TestCatalogueIsComplete(t *testing.T) {
	c := studies.Claims()
	seen, used := map[string]bool{}, map[string]bool{}
	for _, one := range c.Claims {
		if one.ID == "" || one.Asks == "" || one.Published == "" || c.Sources[one.Source] == "" {
			t.Errorf("incomplete: %+v", one)
		}
		if seen[one.ID] {
			t.Errorf("%s is there twice", one.ID)
		}
		seen[one.ID], used[one.Source] = true, true
	}
	for source := range c.Sources {
		if !used[source] {
			t.Errorf("no claim is from %q", source)
		}
	}
}

// TestStudiesDecideWhatIsClaimed: a study is called as the claim that it decides,
// which is in the catalogue; a second reading of the claim has a word more.
func TestStudiesDecideWhatIsClaimed(t *testing.T) {
	known, shipped := map[string]bool{}, subjectNames(t)
	for _, one := range studies.Claims().Claims {
		known[one.ID] = true
	}
	decided := 0
	for _, name := range studies.Names() {
		src, err := studies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := study.Parse(name+".yaml", src, shipped)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Claims {
			decided++
			if c.ID != name && !strings.HasPrefix(c.ID, name+"-") || !known[c.ID] {
				t.Errorf("study %s decides %s", name, c.ID)
			}
			if c.Says == "" || c.Published == "" {
				t.Errorf("study %s does not say what is claimed", name)
			}
		}
		if known[name] && len(s.Claims) == 0 {
			t.Errorf("study %s has no claim", name)
		}
	}
	if decided == 0 {
		t.Error("no study decides anything")
	}
}

func TestCatalogueIsNoStudy(t *testing.T) {
	if _, err := studies.Read("claims"); err == nil {
		t.Error("the catalogue can be read as a study")
	}
}
