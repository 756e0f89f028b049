package subject

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALogLosesItsMiddle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	log, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const limit = 4096
	b := &logBound{log: log, limit: limit}
	fmt.Fprintln(log, "the first line")
	b.cut()
	if b.leftOut != 0 {
		t.Errorf("%d bytes of a short log were left out", b.leftOut)
	}
	printed := int64(len("the first line\n"))
	for i := range 50 {
		line := fmt.Sprintf("%04d %s\n", i, strings.Repeat("x", 500))
		fmt.Fprint(log, line)
		printed += int64(len(line))
		b.cut()
		if info, err := log.Stat(); err != nil || info.Size() > limit {
			t.Fatalf("the log has %d bytes, %v", info.Size(), err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if !strings.HasPrefix(text, "the first line\n0000 ") || !strings.HasSuffix(text, "x\n") || !strings.Contains(text, "\n0049 ") {
		t.Errorf("beginning or end is missing:\n%s", text)
	}
	note := fmt.Sprintf("\ndyno: some %d bytes of this log are left out here\n", b.leftOut)
	if strings.Count(text, "dyno:") != 1 || !strings.Contains(text, note) {
		t.Errorf("no note of %d bytes, or several:\n%s", b.leftOut, text)
	}
	if kept := int64(len(text) - len(note)); kept+b.leftOut != printed {
		t.Errorf("%d bytes kept and %d left out, of %d", kept, b.leftOut, printed)
	}
}
