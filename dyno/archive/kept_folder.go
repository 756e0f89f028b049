package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// KeptListFile is the file of a folder of kept files that lists them, and what is missing.
const KeptListFile = "kept.json"

// KeepIn puts kept files into a new folder of their own, for a load that is no trial of a run:
// with a list of them, and sealed by a SHA256SUMS, which sha256sum --check reads. The folder is
// there with all of it or not at all.
func KeepIn(folder string, kept []Kept) error {
	within, err := os.MkdirTemp(filepath.Dir(folder), ".dyno-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(within) // gone already if all went well
	list, err := marshal(kept)
	if err != nil {
		return err
	}
	contents := map[string][]byte{KeptListFile: list}
	for i := range kept {
		if k := &kept[i]; k.File != "" {
			contents[k.File] = k.Content
		}
	}
	sums := Sums{}
	for name, content := range contents {
		if err := writeContent(filepath.Join(within, name), content); err != nil {
			return err
		}
		digest := sha256.Sum256(content)
		sums[name] = hex.EncodeToString(digest[:])
	}
	if err := errors.Join(writeContent(filepath.Join(within, SumsFile), sums.Bytes()), os.Chmod(within, 0o755), syncFolder(within)); err != nil {
		return err
	}
	if err := os.Rename(within, folder); err != nil { // fails if it is there and not empty
		return fmt.Errorf("keeping files: %w", err)
	}
	return syncFolder(filepath.Dir(folder))
}

func writeContent(path string, content []byte) error {
	return creator(createFile).write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
