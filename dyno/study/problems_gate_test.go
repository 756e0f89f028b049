package study

import "testing"

func TestGateProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"no list", minimal + "gate: cpu > +3%\n",
			`s.yaml:3:7: gate: expected a list, got "cpu > +3%" (write it as [a, b] or one "- item" a line)`},
		{"empty", minimal + "gate: []\n",
			"s.yaml:3:7: gate: expected at least one item, got an empty list"},
		{"blank", minimal + "gate: [\" \"]\n",
			"s.yaml:3:8: gate[0]: expected a text, got an empty one"},
		{"metric", minimal + "gate: [cpu > +3%, 'cqu > +3%']\n",
			`s.yaml:3:19: gate[1]: "cqu > +3%": no metric "cqu"; did you mean cpu?`},
		{"direction", minimal + "gate: ['cpu < -3%']\n",
			`s.yaml:3:8: gate[0]: "cpu < -3%": less of cpu is better: write 'cpu > +3%'`},
	})
}

func TestGate(t *testing.T) {
	s, err := Parse("s.yaml", []byte(minimal+"gate: ['cpu > +3%, throughput < -5%', p99 > +10%]\n"), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, threshold := range s.Gate {
		got = append(got, threshold.String())
	}
	if want := "cpu > +3% throughput < -5% response.p99 > +10%"; len(got) != 3 || got[0]+" "+got[1]+" "+got[2] != want {
		t.Errorf("%q, want %s", got, want)
	}
}
