package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"dyno/lab/archive"
)

// StudyHash is the hash of the study's text, as the run keeps it.
func StudyHash(m *archive.Manifest) string { return hash([]byte(m.StudySource)) }

// RunHash identifies a finished run: the SHA-256 of its file of sums, which in
// turn has those of all its raw data.
func RunHash(run *archive.Run) (string, error) {
	sums, err := os.ReadFile(filepath.Join(run.Dir, "SHA256SUMS"))
	if err != nil {
		return "", fmt.Errorf("run %s has no sums, as its writer died: %w", run.Manifest.ID, err)
	}
	return hash(sums), nil
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
