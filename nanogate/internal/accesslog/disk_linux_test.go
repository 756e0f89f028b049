package accesslog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/disktest"
	"dyno.example/nanogate/internal/request"
)

// A disk that gets full, and has room again, costs the lines of that time: the file has whole
// lines only, but for one that was cut.
func TestFullDisk(t *testing.T) {
	disk := disktest.New(t)
	path := filepath.Join(disk.Dir, "log")
	l, log := logging(t, config.AccessLog{To: path, Sample: 1})
	write := func(n int) {
		for range n {
			log(request.Outcome{Status: 200})
			flush(t, l)
		}
	}
	write(3)
	disk.Fill()
	write(100)
	full := l.Counts()
	if full.Failed == 0 || full.Dropped > 0 {
		t.Errorf("on a full disk: %+v", full)
	}
	disk.Free()
	write(3)
	if c := l.Counts(); c.Failed != full.Failed || c.Written != full.Written+3 {
		t.Errorf("with room again: %+v, before %+v", c, full)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for line := range strings.Lines(string(b)) {
		if json.Valid([]byte(line)) && strings.HasSuffix(line, "\n") {
			whole++
		}
	}
	if want := int(full.Written) + 3; whole != want || strings.Count(string(b), "\n") > want+1 {
		t.Errorf("%d lines are whole of %d, %d were written", whole, strings.Count(string(b), "\n"), want)
	}
}
