package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"dyno.example/dyno/archive"
)

// StudyHash is the hash of the study's text, as the run keeps it.
func StudyHash(m *archive.Manifest) string { return hash([]byte(m.StudySource)) }

// RunHash identifies a finished run: the address of its content.
func RunHash(run *archive.Run) (string, error) {
	if run.Address == "" {
		return "", fmt.Errorf("run %s has no content address: it was not finished", run.Manifest.ID)
	}
	return run.Address.String(), nil
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
