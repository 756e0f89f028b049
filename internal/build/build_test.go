package build

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestInfoOf(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	commit := setting("vcs.revision", "0123456789abcdef")
	for _, tt := range []struct {
		name string
		b    debug.BuildInfo
		want Info
	}{
		{"a release", debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3"}, Settings: []debug.BuildSetting{commit}}, Info{"v1.2.3", "0123456789ab", "go1", ""}},
		{"a commit", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{commit, setting("vcs.modified", "false")}}, Info{"devel-0123456789ab", "0123456789ab", "go1", ""}},
		{"with changes", debug.BuildInfo{Settings: []debug.BuildSetting{commit, setting("vcs.modified", "true")}}, Info{"devel-0123456789ab-dirty", "0123456789ab-dirty", "go1", ""}},
		{"without version control", debug.BuildInfo{}, Info{"devel", "", "go1", ""}},
		{"compiled into another program", debug.BuildInfo{Main: debug.Module{Path: "x.test/y", Version: "v2.0.0"}, Deps: []*debug.Module{{Path: module, Version: "v1.0.0"}}}, Info{"v2.0.0", "", "go1", "v1.0.0"}},
		{"from a folder", debug.BuildInfo{Main: debug.Module{Version: "v2.0.0"}, Deps: []*debug.Module{{Path: module, Version: "v0.0.0", Replace: &debug.Module{Path: "../dyno"}}}}, Info{"v2.0.0", "", "go1", "devel"}},
		{"in a workspace", debug.BuildInfo{Main: debug.Module{Path: "x.test/y", Version: "v2.0.0"}, Deps: []*debug.Module{{Path: module, Version: "(devel)"}}}, Info{"v2.0.0", "", "go1", "devel"}},
		{"a command of its own", debug.BuildInfo{Main: debug.Module{Path: module + "/cmd", Version: "(devel)"}, Deps: []*debug.Module{{Path: module, Version: "(devel)"}}}, Info{"devel", "", "go1", ""}},
	} {
		tt.b.GoVersion = "go1"
		if got := infoOf(&tt.b); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if text := (Info{Version: "v2", Go: "go1", Of: "v1"}).String(); !strings.HasPrefix(text, "v2 with nanogate v1 (go1, ") {
		t.Error(text)
	}
	if text, err := os.ReadFile("../../nanogate/go.mod"); err != nil || !strings.HasPrefix(string(text), "module "+module+"\n") {
		t.Errorf("nanogate's module isn't %s: %v", module, err)
	}
	if Read().Go == "" {
		t.Error("the version of Go isn't known")
	}
	if self, err := os.Executable(); err != nil {
		t.Error(err)
	} else if info, err := ReadFile(self); err != nil || info != Read() {
		t.Errorf("this program's file is of %+v, it of %+v: %v", info, Read(), err)
	}
	if _, err := ReadFile("build.go"); err == nil {
		t.Error("a text was built from something")
	}
}
