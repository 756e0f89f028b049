package comparecmd

import (
	"os"
	"os/exec"
	"testing"

	"dyno.example/dyno/study"
)

// Who gates, or edits, in the folder of the service is not taken for a start of it.
func TestOnlyVersionsAreSampled(t *testing.T) {
	dir := t.TempDir()
	service := exec.Command("sleep", "60")
	service.Dir = dir
	if err := service.Start(); err != nil {
		t.Skip("no sleep: ", err)
	}
	t.Cleanup(func() {
		service.Process.Kill()
		service.Wait()
	})
	s := newSampling(&study.Study{Subjects: []study.Subject{{Name: "service", Dir: dir}}})
	for _, c := range []struct {
		name string
		pid  int
		dir  string
		want bool
	}{
		{"a start", service.Process.Pid, s.dirs["service"], true},
		{"this program in the same folder", os.Getpid(), s.dirs["service"], false},
		{"somebody else's program in it", os.Getppid(), s.dirs["service"], false},
		{"another program elsewhere", service.Process.Pid, os.TempDir(), false},
	} {
		if got := s.wants(c.pid, c.dir); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
