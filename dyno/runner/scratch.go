package runner

import (
	"os"
	"path/filepath"

	"dyno.example/internal/i18n"
)

// newScratch makes an empty folder for what a run needs temporarily: sockets and keys. It
// has the same name in every run of a state folder, whose lock the caller holds, so that
// what a killed run leaves there is removed by the next. Only the user that runs dyno
// can read it.
func newScratch(stateDir string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(stateDir, "scratch")) // subjects work elsewhere
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", i18n.Errorf("runner.making-run-folder", "making the folder for sockets and keys: %w", err)
	}
	return dir, nil
}
