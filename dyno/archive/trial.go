package archive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/evidence"
)

// trialName is the name of a trial's folder.
func trialName(index int) string { return fmt.Sprintf("%04d", index) }

func trialFolder(run string, index int) string {
	return filepath.Join(run, trialsFolder, trialName(index))
}

// writeTrial fills the folder, which exists and is empty.
func (create creator) writeTrial(folder string, t *Trial) error {
	document, err := marshal(t)
	if err != nil {
		return fmt.Errorf("trial %d: %w", t.Index, err)
	}
	fills := map[string]func(io.Writer) error{
		trialFile: func(w io.Writer) error {
			_, err := w.Write(document)
			return err
		},
		windowsFile: func(w io.Writer) error { return writeWindows(w, t.Windows) },
		histogramsFile: func(w io.Writer) error {
			out := bufio.NewWriter(w)
			return errors.Join(writeHistograms(out, t.Started, t.Windows), out.Flush())
		},
	}
	names := []string{trialFile, windowsFile, histogramsFile}
	if t.Sliced != nil {
		names = append(names, slicesFile)
		fills[slicesFile] = func(w io.Writer) error { return writeSlices(w, t.Slices) }
	}
	if e := t.Evidence; e != nil {
		names = append(names, evidenceFile)
		fills[evidenceFile] = func(w io.Writer) error { return evidence.Write(w, e.Header, e.Records) }
	}
	for _, k := range t.Kept {
		if k.File == "" {
			continue
		}
		names = append(names, k.File)
		fills[k.File] = func(w io.Writer) error {
			_, err := w.Write(k.Content)
			return err
		}
	}
	for _, name := range names {
		if err := create.write(filepath.Join(folder, name), fills[name]); err != nil {
			return err
		}
	}
	return syncFolder(folder)
}

// marshal writes a document as people like to read it.
func marshal(v any) ([]byte, error) {
	document, err := json.MarshalIndent(v, "", "  ")
	return append(document, '\n'), err
}

// readTrials reads all trials of a run, in order.
func readTrials(run string, m *Manifest) ([]Trial, error) {
	indices, err := listTrials(run)
	if err != nil {
		return nil, err
	}
	var trials []Trial
	for _, index := range indices {
		t, err := readTrial(trialFolder(run, index))
		if err != nil {
			return nil, fmt.Errorf("reading trial %d: %w", index, err)
		}
		if t.Index != index || t.Cell < 0 || t.Cell >= len(m.Plan.Cells) {
			path := filepath.Join(trialFolder(run, index), trialFile)
			return nil, &Damage{File: path, Err: fmt.Errorf("index %d and cell %d are not those of the plan", t.Index, t.Cell)}
		}
		if err := checkTrial(trialFolder(run, index), t, m); err != nil {
			return nil, err
		}
		trials = append(trials, *t)
	}
	return trials, nil
}

func readTrial(folder string) (*Trial, error) {
	var t Trial
	if err := readDocument(filepath.Join(folder, trialFile), &t); err != nil {
		return nil, err
	}
	t.Error = messageOf(t.Error, t.ErrorMessage)
	if err := checkKept(filepath.Join(folder, trialFile), &t); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, windowsFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if t.Windows, err = readWindows(f, path); err != nil {
		return nil, err
	}
	t.Slices, err = readSlicesFile(filepath.Join(folder, slicesFile))
	return &t, err
}

// listTrials returns the indices of the trials that are there, in order.
func listTrials(run string) ([]int, error) {
	folder := filepath.Join(run, trialsFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var indices []int
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), hidden) {
			continue
		}
		index, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || trialName(index) != e.Name() {
			return nil, &Damage{File: filepath.Join(folder, e.Name()), Err: errors.New("is not the folder of a trial")}
		}
		indices = append(indices, index)
	}
	slices.Sort(indices)
	return indices, nil
}
