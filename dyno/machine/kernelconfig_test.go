package machine

import (
	"bytes"
	"compress/gzip"
	"testing"
	"testing/fstest"
)

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestStealApart(t *testing.T) {
	const set, unset = "CONFIG_PARAVIRT=y\nCONFIG_PARAVIRT_TIME_ACCOUNTING=y\nCONFIG_X=m\n", "CONFIG_PARAVIRT=y\n# CONFIG_PARAVIRT_TIME_ACCOUNTING is not set\n"
	const release, line = "proc/sys/kernel/osrelease", "proc/cmdline"
	for name, c := range map[string]struct {
		files map[string][]byte
		want  bool
	}{
		"its own word":                   {map[string][]byte{"proc/config.gz": packed(t, set), line: []byte("quiet\n")}, true},
		"its own word, not set":          {map[string][]byte{"proc/config.gz": packed(t, unset), line: []byte("quiet\n")}, false},
		"the distribution's":             {map[string][]byte{"boot/config-6.1": []byte(set), release: []byte("6.1\n"), line: []byte("quiet\n")}, true},
		"of another kernel":              {map[string][]byte{"boot/config-6.0": []byte(set), release: []byte("6.1\n"), line: []byte("quiet\n")}, false},
		"told not to ask":                {map[string][]byte{"proc/config.gz": packed(t, set), line: []byte("quiet no-steal-acc\n")}, false},
		"nobody says":                    {map[string][]byte{line: []byte("quiet\n")}, false},
		"how it was told, nobody":        {map[string][]byte{"proc/config.gz": packed(t, set)}, false},
		"broken, and the distribution's": {map[string][]byte{"proc/config.gz": packed(t, set)[:20], "boot/config-6.1": []byte(set), release: []byte("6.1\n"), line: nil}, true},
	} {
		files := fstest.MapFS{}
		for path, data := range c.files {
			files[path] = &fstest.MapFile{Data: data}
		}
		if got := (Reader{Root: files}).Read().StealApart; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
