package study

import (
	"reflect"
	"testing"
)

func TestLimits(t *testing.T) {
	s, err := Parse("s.yaml", []byte(`study: s
subjects:
  - {name: a, use: go/gin, limits: {cpus: 0.5, memory: 256MiB, cpuset: "8,0-2,1"}}
  - {name: b, use: go/gin, limits: {memory: 1.5 GB, cpuset: 3}}
  - go/gin
`), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []*Limits{
		{CPUs: 0.5, Memory: 256 << 20, CPUSet: []int{0, 1, 2, 8}},
		{Memory: 1_500_000_000, CPUSet: []int{3}},
		nil,
	} {
		if got := s.Subjects[i].Limits; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", s.Subjects[i].Name, got, want)
		}
	}
}

func TestLimitsProblems(t *testing.T) {
	one := func(limits string) string { return named + "subjects: [{use: go/gin, limits: " + limits + "}]\n" }
	const at = "s.yaml:2:34: subjects[0].limits"
	checkProblems(t, []problemCase{
		{"empty", one("{}"), at + ": expected at least one of cpus, memory and cpuset (cpus: 0.5, memory: 256MiB, cpuset: 0-1)"},
		{"unknown", one("{cpu: 1}"), `s.yaml:2:35: subjects[0].limits.cpu: unknown field (did you mean "cpus"?)`},
		{"no number", one("{cpus: half}"), `s.yaml:2:41: subjects[0].limits.cpus: expected a number from 0.01 to 4096, got "half"`},
		{"too little", one("{cpus: 0}"), `s.yaml:2:41: subjects[0].limits.cpus: expected a number from 0.01 to 4096, got "0"`},
		{"no unit", one("{memory: 1024}"), `s.yaml:2:43: subjects[0].limits.memory: expected a size from 1MiB to 1024TiB, got "1024" (write it with a unit, such as 256MiB or 1.5GiB)`},
		{"negative", one("{memory: -1GiB}"), `s.yaml:2:43: subjects[0].limits.memory: expected a size from 1MiB to 1024TiB, got "-1GiB" (write it with a unit, such as 256MiB or 1.5GiB)`},
		{"infinite", one("{memory: InfGiB}"), `s.yaml:2:43: subjects[0].limits.memory: expected a size from 1MiB to 1024TiB, got "InfGiB" (write it with a unit, such as 256MiB or 1.5GiB)`},
		{"backwards", one("{cpuset: 3-1}"), `s.yaml:2:43: subjects[0].limits.cpuset: expected CPUs such as 0-3,8, got "3-1"`},
		{"no such CPU", one("{cpuset: 5000}"), `s.yaml:2:43: subjects[0].limits.cpuset: expected CPUs such as 0-3,8, got "5000"`},
		{"of a service", named + "subjects: [{name: a, url: \"http://h\", limits: {cpus: 1}}]\n", "s.yaml:2:47: subjects[0].limits: a service that is already up can't be limited"},
	})
}
