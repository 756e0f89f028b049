package library

import (
	"path/filepath"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
)

func TestLocationOfTheArchive(t *testing.T) {
	t.Setenv("DYNO_HOME", "/data/dyno")
	for _, c := range []struct {
		flag, env string
		want      archive.Location
	}{
		{"", "", archive.Location{Dir: filepath.FromSlash("/data/dyno/runs")}},
		{"", "s3://lab/runs", archive.Location{Bucket: "lab", Prefix: "runs"}},
		{"/mnt/runs", "s3://lab/runs", archive.Location{Dir: filepath.FromSlash("/mnt/runs")}},
	} {
		t.Setenv("DYNO_ARCHIVE", c.env)
		global := cli.Global{Archive: c.flag}
		if l, err := Location(&global); err != nil || l != c.want {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
	}
	t.Setenv("DYNO_ARCHIVE", "s3://ann:pw@lab")
	if _, err := Location(&cli.Global{}); err == nil {
		t.Error("DYNO_ARCHIVE with a password is taken")
	}
}
