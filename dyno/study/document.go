package study

import (
	"os"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
	"dyno.example/internal/yamlfile"
)

const (
	// maxSource bounds a study file and each body file, in bytes.
	maxSource = 1 << 20
	// maxNodes bounds a study once its aliases are followed.
	maxNodes = 100_000
	// maxItems bounds each list in a study; more is a mistake.
	maxItems = 1000
	// maxQuoted is how much of a text messages repeat, in bytes.
	maxQuoted = 40
)

// form is what study files have in common.
var form = yamlfile.Form{
	MostBytes: maxSource, MostValues: maxNodes, MostItems: maxItems, MostQuoted: maxQuoted, MostName: maxQuoted,
	Large:    i18n.New("study.file-too-large", "expected a study of at most %d bytes, got more", maxSource),
	Empty:    i18n.New("study.file-empty", "expected a study, got an empty file"),
	Start:    i18n.New("study.init-hint", `"dyno study init" writes one to start from`),
	Second:   i18n.New("study.second-document", "expected one study, got a second YAML document"),
	Repeats:  i18n.New("study.aliases-too-large", "expected a study of ordinary size, got aliases that repeat too much or themselves"),
	Shown:    func(text string) string { return text }, // secrets are hidden when all is read
	Choices:  choices,
	Duration: profile.ShortDuration,
}

// input is the file being read, and what is wrong with it so far.
type input struct {
	yamlfile.File
	src     []byte
	shipped []string      // names of shipped subjects
	env     *template.Env // what templates may refer to
	onDisk  bool          // path is a file, and what the study names lies beside it

	feedsUnread bool // what refers to a feed can't be checked
	calls       bool // some request is a call over gRPC
}

func newInput(path string, shipped []string) *input {
	return &input{File: yamlfile.File{Form: &form, Path: path}, shipped: shipped, env: &template.Env{Getenv: os.LookupEnv}}
}

// document reads the one YAML document in src and returns its root. It reports
// a problem and returns false if there is no such document.
func (in *input) document(src []byte) (scope, bool) {
	in.src = src
	root, ok := in.Read(src)
	return scope{root, in}, ok
}
