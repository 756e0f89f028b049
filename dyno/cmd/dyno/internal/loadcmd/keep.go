package loadcmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/keeping"
	"dyno.example/dyno/load"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// keepFlags have files for other tools kept beside a load's evidence, as a study's keep does.
type keepFlags struct {
	what  []string
	pprof string

	folder  string // where they are kept; empty for none
	chosen  []study.Kept
	gathers *keeping.Keeping
	trial   archive.Trial // has what was kept
}

func (f *keepFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.what, "keep", nil, "with --explain: also keep, beside the evidence, what a study's keep does of a server on this machine: "+keepable())
	flags.StringVar(&f.pprof, "pprof", "/debug/pprof", "with --keep pprof: where the server offers its profiles, a path of its own or a URL")
}

// ofStudies are what only a study can have kept, with the reason.
var ofStudies = map[study.Kept]i18n.Message{
	study.KeepFlight:  i18n.New("loadcmd.keep-flight", "the server has to be told where to connect when it starts"),
	study.KeepBuffers: i18n.New("loadcmd.keep-buffers", "they belong to windows of the server, which a load hasn't"),
}

// keepable are the words of --keep.
func keepable() string {
	var words []string
	for _, k := range study.Keepable() {
		if _, no := ofStudies[k]; !no {
			words = append(words, string(k))
		}
	}
	return strings.Join(words, ", ")
}

// check makes sure of what is asked for, and of the folder, beside the file of the evidence;
// empty if none is collected.
func (f *keepFlags) check(evidence string, spec *load.Spec) error {
	if len(f.what) == 0 {
		return nil
	}
	if evidence == "" {
		return cli.UsageError(i18n.Errorf("loadcmd.keep-without-explain", "--keep goes with --explain: what is kept lies beside the evidence, and says which of it is of slow requests"))
	}
	for _, word := range f.what {
		k := study.Kept(word)
		why, ofStudy := ofStudies[k]
		switch {
		case !slices.Contains(study.Keepable(), k):
			return cli.UsageError(unknownKept(word))
		case ofStudy:
			return cli.UsageError(i18n.Errorf("loadcmd.keep-of-studies", "--keep %s is for studies: %s", word, why))
		case slices.Contains(f.chosen, k):
			return cli.UsageError(i18n.Errorf("loadcmd.keep-twice", "--keep: %s is given twice; remove one of them", word))
		case k == study.KeepPprof && length(spec) == 0:
			return cli.UsageError(i18n.Errorf("loadcmd.keep-pprof-length", "--keep pprof: a server is asked for profiles of so many seconds; add -d"))
		}
		f.chosen = append(f.chosen, k)
	}
	f.folder = strings.TrimSuffix(strings.TrimSuffix(evidence, ".gz"), ".jsonl") + ".kept"
	if _, err := os.Lstat(f.folder); !errors.Is(err, fs.ErrNotExist) {
		return i18n.Errorf("loadcmd.keep-folder", "--keep: %s is there already; remove it, or give --explain another file", f.folder)
	}
	return nil
}

func unknownKept(word string) error {
	if meant, ok := spelling.Nearest(word, strings.Split(keepable(), ", ")); ok {
		return i18n.Errorf("loadcmd.keep-unknown", "--keep %q is none of %s; %s", word, keepable(), i18n.New("loadcmd.meant", "did you mean %s?", meant))
	}
	return i18n.Errorf("loadcmd.keep-unknown-word", "--keep %q is none of %s", word, keepable())
}

// length is how long a load is meant to be; 0 if that isn't known.
func length(spec *load.Spec) time.Duration { return max(spec.Duration, spec.Profile.Length()) }

// begin begins to gather, of a server that is up and whose processes are these.
func (f *keepFlags) begin(spec *load.Spec, processes []int) error {
	if f.folder == "" {
		return nil
	}
	if len(processes) == 0 {
		return i18n.Errorf("loadcmd.keep-no-process", "--keep %s: no process of this machine is seen to listen at %s; leave out --keep, or run dyno as root where the server is", strings.Join(f.what, ","), spec.Target)
	}
	cpus, err := subject.OnlineCPUs()
	if err != nil {
		return err
	}
	m := archive.Manifest{Plan: study.Plan{Cells: []study.Cell{{Requests: spec.Requests}}}}
	c := keeping.Config{
		What: f.chosen, Name: spec.Target, Port: collect.PortOf(spec.Target), Processes: processes, CPUs: cpus, Duration: length(spec),
		Pprof: study.Subject{Pprof: f.pprof}.PprofURL(spec.Target), Secrets: archive.Redact(&m),
	}
	if slices.Contains(f.chosen, study.KeepPprof) {
		c.Trust, c.Untrusted = spec.TLS.Client()
	}
	f.gathers = keeping.Start(c)
	if err := f.gathers.Unable(); err != nil {
		f.end(context.Background(), nil, nil)
		return i18n.Errorf("loadcmd.keep-unable", "--keep: %w", err)
	}
	began := spec.OnStart
	spec.OnStart = func(measured int64) {
		f.gathers.Begin(measured)
		if began != nil {
			began(measured)
		}
	}
	return nil
}

// end ends it, when the evidence is there.
func (f *keepFlags) end(ctx context.Context, header *evidence.Header, records []evidence.Record) {
	if f.gathers == nil {
		return
	}
	f.trial.Started = time.Now()
	if header != nil {
		f.trial.Evidence = &archive.Evidence{Header: header, Records: records}
	}
	f.gathers.End(ctx, &f.trial)
	f.gathers = nil
}

// save writes what was kept, and says where.
func (f *keepFlags) save(global *cli.Global) error {
	if f.folder == "" {
		return nil
	}
	if err := archive.KeepIn(f.folder, f.trial.Kept); err != nil {
		return i18n.Errorf("loadcmd.keep-unable", "--keep: %w", err)
	}
	for i := range f.trial.Kept {
		switch k := &f.trial.Kept[i]; {
		case k.Missing != "":
			global.Err().Print(i18n.New("loadcmd.not-kept", "not kept (%s): %s", string(k.Kind), k.Missing))
		default:
			global.Err().Print(i18n.New("loadcmd.kept", "kept (%s): %s, %s", string(k.Kind), filepath.Join(f.folder, k.File), opens(k.Kind)))
		}
	}
	return nil
}

// opens is what opens a kept file.
func opens(kind archive.Kind) string {
	return cmp.Or(map[archive.Kind]string{archive.PacketHeaders: "Wireshark"}[kind], "go tool pprof -http=:")
}
