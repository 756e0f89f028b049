package analysis

import (
	"errors"
	"slices"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// Profiles of slow requests are those of the trials that figures rest on.
func TestProfilesOf(t *testing.T) {
	run := &archive.Run{}
	for index := range 3 {
		one := archive.Trial{PlannedTrial: study.PlannedTrial{Index: 2 * index}}
		one.Keep(archive.OffCPUProfile, []byte("all"), nil, nil)
		one.Keep(archive.SlowOffCPUProfile, []byte("slow"), nil, nil)
		one.Lack(archive.SlowProfile, errors.New("none"))
		run.Trials = append(run.Trials, one)
	}
	if got := profilesOf(run, []int{0, 4, 7}); !slices.Equal(got, []string{"trials/0000/off-cpu-slow.pb.gz", "trials/0004/off-cpu-slow.pb.gz"}) {
		t.Error(got)
	}
}
