package baseline

import (
	"crypto/sha256"
	"encoding/hex"

	"dyno.example/dyno/archive"
	"dyno.example/internal/i18n"
)

// StudyHash is the hash of the study's text, as the run keeps it.
func StudyHash(m *archive.Manifest) string { return hash([]byte(m.StudySource)) }

// RunHash identifies a finished run: the address of its content.
func RunHash(run *archive.Run) (string, error) {
	if run.Address == "" {
		return "", i18n.Errorf("baseline.run-without-address", "run %s has no content address: it was not finished", run.Manifest.ID)
	}
	return run.Address.String(), nil
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
