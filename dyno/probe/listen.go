package probe

import (
	"errors"
	"os"

	"dyno.example/internal/i18n"
)

// ListenForRuntime listens for the helpers of a subject in a folder below scratch, until
// remove is called. Sockets can have short names only: where scratch has a long one, the
// folder is a temporary one, and where that has, too, in /tmp.
func ListenForRuntime(scratch string) (l *RuntimeListener, remove func(), err error) {
	var failed []error
	for _, parent := range []string{scratch, "", "/tmp"} {
		dir, err := os.MkdirTemp(parent, "dyno-")
		if err != nil {
			failed = append(failed, i18n.Errorf("probe.runtime-folder", "making a folder for the runtime probe: %w", err))
			continue
		}
		if l, err = NewRuntimeListener(dir); err == nil {
			return l, func() { l.Close(); os.RemoveAll(dir) }, nil
		}
		os.RemoveAll(dir)
		failed = append(failed, err)
	}
	return nil, nil, errors.Join(failed...)
}
