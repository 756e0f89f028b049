package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The address is what anybody can compute with sha256sum.
func TestAddressIsTheHashOfTheSums(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	want, err := sumFile(filepath.Join(dir, SumsFile))
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(Latest)
	if err != nil || string(run.Address) != want {
		t.Fatalf("address %q, %v; want %s", run.Address, err, want)
	}
	kept, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err != nil || string(kept) != want+"  SHA256SUMS\n" {
		t.Errorf("kept as %q, %v", kept, err)
	}
	entries, err := store.List()
	if err != nil || entries[0].Address != run.Address || entries[0].Address.Short() != want[:12] {
		t.Errorf("listed as %+v, %v", entries, err)
	}
	for _, ref := range []string{want, "sha256:" + want, want[:6], "sha256:" + want[:9], filepath.Base(dir) + "." + want} {
		if again, err := store.Open(ref); err != nil || again.Dir != dir {
			t.Errorf("%q does not open the run: %v", ref, err)
		}
	}
	for _, ref := range []string{want[:5], strings.ToUpper("sha256:" + want), want + "0"} {
		if _, err := store.Open(ref); err == nil {
			t.Errorf("%q opens the run", ref)
		}
	}
}

// A run whose sums were made again after an edit is another one, and says so.
func TestSumsMadeAnewAreNoticed(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	edit(t, filepath.Join(dir, ManifestFile), `"quick": false`, `"quick": true`)
	manifest, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	before, err := readAddress(dir)
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := sum(dir, manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, SumsFile), renewed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(Latest)
	wantError(t, err, SumsFile, "was changed", string(before), string(renewed.Address()))
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(Latest)
	wantError(t, err, addressFile+":1:", "is not an address")
}

// Runs of before there were addresses have no file of it.
func TestARunWithoutItsAddressKept(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	if err := os.Remove(filepath.Join(dir, addressFile)); err != nil {
		t.Fatal(err)
	}
	if run, err := store.Open(Latest); err != nil || run.Address == "" {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestARunThatHasNotEndedHasNoAddress(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, newManifest())
	addTrials(t, w, 1)
	run, err := store.Open(Latest)
	if err != nil || run.Address != "" || run.Address.String() != "" || run.Address.Short() != "" {
		t.Errorf("%+v, %v", run, err)
	}
	_, err = store.Verify(Latest)
	wantError(t, err, "has not ended (running)")
	_, err = store.Record(Latest)
	wantError(t, err, "has not ended")
}

func TestParseSums(t *testing.T) {
	digest := strings.Repeat("0f", 32)
	line := func(name string) string { return digest + "  " + name + "\n" }
	whole := line(ManifestFile) + line("trials/0000/trial.json")
	s, err := ParseSums([]byte(whole), SumsFile)
	if err != nil || string(s.Bytes()) != whole || s.Trials() != 1 {
		t.Fatalf("%v, %v", s, err)
	}
	for content, want := range map[string]string{
		"":                                      "has no sum of manifest.json",
		line("trials/x"):                        "has no sum of manifest.json",
		whole[:len(whole)-1]:                    "SHA256SUMS:2: cut off",
		line("trials/x") + line(ManifestFile):   "SHA256SUMS:2: \"manifest.json\" comes after",
		line(ManifestFile) + line(ManifestFile): "SHA256SUMS:2:",
		strings.ToUpper(digest) + "  manifest.json\n": "is not a sum",
		digest + " *manifest.json\n":                  "is not a sum",
		digest[2:] + "  manifest.json\n":              "is not a sum",
		line("trials/../../x"):                        "not a file of a run's record",
		line("/etc/passwd"):                           "not a file of a run's record",
		line("../x"):                                  "not a file of a run's record",
		line("trials//x"):                             "not a file of a run's record",
		line("trials/.0001/x"):                        "not a file of a run's record",
		line("report.html"):                           "not a file of a run's record",
		line(`trials/a\..\..\b`):                      "not a file of a run's record",
	} {
		_, err := ParseSums([]byte(content), SumsFile)
		wantError(t, err, want)
	}
}

// FuzzParseSums: what is taken is in the one form there is, and stays in the
// run's folder.
func FuzzParseSums(f *testing.F) {
	digest := strings.Repeat("0f", 32)
	f.Add([]byte(digest + "  manifest.json\n" + digest + "  trials/0000/trial.json\n"))
	f.Add([]byte(digest + "  manifest.json\n" + digest + "  trials/../x\n"))
	f.Add([]byte(digest + " manifest.json\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := ParseSums(content, SumsFile)
		if err != nil {
			if !strings.HasPrefix(err.Error(), SumsFile+":") {
				t.Errorf("error without the file: %v", err)
			}
			return
		}
		if string(s.Bytes()) != string(content) {
			t.Errorf("%q is written as %q", content, s.Bytes())
		}
		for name := range s {
			if !filepath.IsLocal(name) {
				t.Errorf("%q leads out of the folder", name)
			}
		}
	})
}
