package subject

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClean(t *testing.T) {
	b := &Builder{Dir: t.TempDir()}
	c, m := shellSubject(t, "cp main.sh $OUT/x")
	build := func() string {
		a, err := b.Build(t.Context(), c, m)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(a.Out)
	}
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	root := build()
	if n, _, err := b.Clean("sh/other"); n != 0 || err != nil || !exists(root) {
		t.Errorf("of another subject: removed %d, %v", n, err)
	}
	unlock, err := lockFile(t.Context(), root+".lock", func() {})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := b.Clean(); n != 0 || err != nil || !exists(root) {
		t.Errorf("while it is built: removed %d, %v", n, err)
	}
	unlock()
	if n, bytes, err := b.Clean("sh/x"); n != 1 || bytes == 0 || err != nil || exists(root) {
		t.Errorf("by its name: removed %d of %d bytes, %v", n, bytes, err)
	}
	failed := build() + ".failed.log"
	if err := os.WriteFile(failed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, _, err := b.Clean(); n != 1 || err != nil || exists(failed) {
		t.Errorf("all: removed %d, %v", n, err)
	}
	if n, _, err := (&Builder{Dir: filepath.Join(b.Dir, "nowhere")}).Clean(); n != 0 || err != nil {
		t.Errorf("without a cache: removed %d, %v", n, err)
	}
}
