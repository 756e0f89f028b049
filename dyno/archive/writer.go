package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Schema is the version of the archive that this package writes and reads.
const Schema = 1

// Writer writes one run. What it has reported as written survives a crash of the
// program or the machine; what it has not is never read back as complete. It is not
// safe for concurrent use. End it with [Writer.Finish].
type Writer struct {
	dir      string
	manifest Manifest
	secrets  study.Secrets // that are written nowhere
	lock     *os.File      // held while this process lives
	trials   int           // archived so far
	usable   int           // of them
	create   creator
}

// ID is the run's name: that of its folder.
func (w *Writer) ID() string { return w.manifest.ID }

// Dir is the run's folder.
func (w *Writer) Dir() string { return w.dir }

// Update changes the manifest, in memory and on disk. What Create and Finish
// set is not the caller's to change. Values of secrets are hidden, see [Redact].
func (w *Writer) Update(change func(*Manifest)) error {
	kept := w.manifest
	change(&w.manifest)
	maps.Copy(w.secrets, Redact(&w.manifest))
	w.manifest.Schema, w.manifest.ID, w.manifest.Started = kept.Schema, kept.ID, kept.Started
	w.manifest.Status, w.manifest.Finished, w.manifest.Usable = kept.Status, kept.Finished, kept.Usable
	w.manifest.Error, w.manifest.ErrorMessage = kept.Error, kept.ErrorMessage
	err := w.writeManifest()
	if err == nil && len(w.manifest.Plan.Trials) > len(kept.Plan.Trials) {
		err = w.reserve() // for more trials than before
	}
	if err != nil {
		return w.explain("updating the manifest", err)
	}
	return nil
}

// HideEnv hides from now on what is secret in variables that subjects are given, such as the
// password of a database that was made for the run.
func (w *Writer) HideEnv(env map[string]string) {
	secrets := study.Secrets{}
	maps.Copy(secrets, w.secrets)
	secrets.AddEnv(env)
	w.secrets = secrets
}

// ServiceLog is the file of what a service has printed, in the run's folder, with slashes.
func ServiceLog(name string) string { return servicesFolder + "/" + name + ".log" }

// AddServiceLog archives what a service has printed, as services/NAME.log, without the run's secrets.
func (w *Writer) AddServiceLog(name string, text []byte) error {
	folder := filepath.Join(w.dir, servicesFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := w.create.write(filepath.Join(w.dir, filepath.FromSlash(ServiceLog(name))), func(out io.Writer) error {
		_, err := io.WriteString(out, w.secrets.Hide(string(text)))
		return err
	})
	if err != nil {
		return w.explain("archiving the log of the service "+name, err)
	}
	return nil
}

// SubjectLog is the path where the output of the trial's subject is to be
// written; its folder exists. AddTrial archives what is there.
func (w *Writer) SubjectLog(trial int) string {
	return filepath.Join(w.dir, trialsFolder, hidden+trialName(trial)+"."+logFile)
}

// AddTrial archives a trial with its windows, their histograms and, if there is
// one, the subject's log, all without the run's secrets. On an error the trial is not in the archive, its log
// stays where it was, and those added before are untouched.
func (w *Writer) AddTrial(t Trial) error {
	if t.Index < 0 {
		return fmt.Errorf("archiving trial %d: the index is negative", t.Index)
	}
	t = redactTrial(t, w.secrets)
	final := trialFolder(w.dir, t.Index)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("archiving trial %d: it is in %s already", t.Index, w.dir)
	}
	temporary := filepath.Join(w.dir, trialsFolder, hidden+trialName(t.Index)+".tmp")
	if err := w.fillTrial(temporary, final, &t); err != nil {
		os.RemoveAll(temporary) // gives its room back; the first error says what is wrong
		return w.explain(fmt.Sprintf("archiving trial %d", t.Index), err)
	}
	w.trials++
	if t.Usable() {
		w.usable++
	}
	return nil
}

func (w *Writer) fillTrial(temporary, final string, t *Trial) error {
	if err := os.Mkdir(temporary, 0o755); err != nil {
		return err
	}
	if err := w.create.writeTrial(temporary, t); err != nil {
		return err
	}
	log, kept := w.SubjectLog(t.Index), filepath.Join(temporary, logFile)
	if err := w.takeLog(log, kept); err != nil {
		return err
	}
	if err := renameDurably(temporary, final); err != nil {
		os.Rename(kept, log) // if it was moved
		return err
	}
	return nil
}

// moveLog moves the subject's log, if there is one, and sees it onto the disk.
func moveLog(from, to string) error {
	log, err := os.OpenFile(from, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer log.Close()
	if err := log.Sync(); err != nil {
		return err
	}
	return renameDurably(from, to)
}

// Finish ends the run: it records the status and why, seals the files with their sums,
// and releases the run. The writer is of no use afterwards, also if Finish fails; the
// run is then read as one whose writer died.
func (w *Writer) Finish(status Status, cause error) error {
	defer w.release()
	w.manifest.Status, w.manifest.Finished, w.manifest.Usable = status, time.Now().Round(0), &w.usable
	if cause != nil {
		w.manifest.Error = i18n.From(cause).Map(w.secrets.Hide)
		w.manifest.ErrorMessage = archived(w.manifest.Error)
	}
	if err := w.seal(); err != nil {
		return w.explain("finishing the run", err)
	}
	return nil
}

// seal writes the sums and the address first: a run that says it has ended has
// them.
func (w *Writer) seal() error {
	if err := os.Remove(w.reserved()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // one that was removed meanwhile is no reason not to end
	}
	document, err := marshal(w.manifest)
	if err != nil {
		return err
	}
	sums, err := sum(w.dir, document)
	if err != nil {
		return err
	}
	if err := w.create.writeSums(w.dir, sums); err != nil {
		return err
	}
	return w.create.replace(filepath.Join(w.dir, ManifestFile), document)
}

// writeSums writes the sums and the address that follows from them.
func (create creator) writeSums(dir string, s Sums) error {
	if err := create.replace(filepath.Join(dir, SumsFile), s.Bytes()); err != nil {
		return err
	}
	return create.replace(filepath.Join(dir, addressFile), s.Address().line())
}

func (w *Writer) writeManifest() error {
	document, err := marshal(w.manifest)
	if err != nil {
		return err
	}
	return w.create.replace(filepath.Join(w.dir, ManifestFile), document)
}

// release lets go of the lock and removes its file.
func (w *Writer) release() {
	if w.lock != nil {
		w.lock.Close()
		os.Remove(w.lock.Name())
		w.lock = nil
	}
}

// explain says what was kept, and what may help.
func (w *Writer) explain(doing string, err error) error {
	return fmt.Errorf("%s: %w; kept in %s: %s%s", doing, err, w.dir, trialCount(w.trials), advice(err))
}

func trialCount(n int) i18n.Message {
	if n == 1 {
		return i18n.New("archive.trial", "1 trial")
	}
	return i18n.New("archive.trials", "%d trials", n)
}
