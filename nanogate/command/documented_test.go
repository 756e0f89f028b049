//go:build linux

package command

import (
	"regexp"
	"strings"
	"testing"

	"dyno.example/nanogate"
	"dyno.example/nanogate/docs"
	"dyno.example/nanogate/internal/config"
)

// A program that links no etcd in says so, and by which import it would have it.
func TestWithoutEtcd(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"run --config-etcd 127.0.0.1:1 --config-key /k", "--config-etcd: this program can't ask etcd, as nothing that does is linked in (import dyno.example/nanogate/with/etcd)"},
		{"register --prefix /s/ 127.0.0.1:1", "this program can't ask etcd, as nothing that does is linked in (import dyno.example/nanogate/with/etcd)"},
		{"run --to http://127.0.0.1:1 --embedded-etcd x", "--embedded-etcd: this program can't run etcd in its own process, as nothing that does is linked in (import dyno.example/nanogate/with/embeddedetcd)"},
	} {
		if _, errs, code := output(t, strings.Fields(c.args)...); code != exitUsage || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d, %q", c.args, code, errs)
		}
	}
}

// What the documentation says to type is understood: commands, their flags, files.
func TestDocumentation(t *testing.T) {
	page := docs.All()
	blocks := regexp.MustCompile("(?ms)^```(sh|yaml)\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	here := regexp.MustCompile("(?ms)^cat >[a-z.]+ <<'EOF'\n(.*?)^EOF$")
	commands, files := 0, 0
	for _, block := range blocks {
		text := block[2]
		var yaml []string
		if block[1] == "yaml" {
			yaml = append(yaml, text)
		}
		for _, document := range here.FindAllStringSubmatch(text, -1) {
			yaml = append(yaml, document[1])
		}
		for _, file := range yaml {
			if !strings.HasPrefix(file, "listen:") {
				continue // a part of a file
			}
			files++
			if _, err := config.Parse("nanogate/docs", []byte(file)); err != nil {
				t.Error(err)
			}
		}
		for line := range strings.Lines(here.ReplaceAllString(text, "")) {
			line, _, _ = strings.Cut(line, "#")
			words := strings.Fields(strings.TrimRight(strings.TrimSpace(line), "&"))
			if block[1] != "sh" || len(words) < 2 || words[0] != "nanogate" {
				continue
			}
			commands++
			cmd, rest, err := programOf(nanogate.New(), nil, "nanogate").root().Find(words[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if commands < 8 || files < 2 {
		t.Errorf("%d commands and %d files were found", commands, files)
	}
}
