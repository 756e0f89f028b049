package study

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/machine/setting"
	"dyno.example/internal/i18n"
)

// checkArgument refuses names that no command line takes.
func checkArgument(e entry, name string, s *Study) {
	bad := func(r rune) bool { return r == '=' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	if strings.Trim(name, "-") == "" || strings.ContainsFunc(name, bad) {
		e.name.Report(i18n.New("study.bad-argument-name", "%s can't be the name of an argument", form.Quote(name)))
	}
	checkArgs(e, name, s)
}

func checkArgs(e entry, _ string, s *Study) {
	checkStarted(e, s, i18n.New("study.arguments", "the arguments"))
}

// argsLevel reads arguments as they stand on a command line.
func argsLevel(at scope, _ *Study) string {
	text, ok := at.printable("\t")
	if _, err := shell.Split(text); ok && err != nil {
		at.Report(i18n.New("study.bad-arguments", "expected arguments as a shell reads them: %v", err))
	}
	return text
}

// goFlags are the flags of go build that a level may begin with.
var goFlags = []string{
	"a", "asan", "asmflags", "buildmode", "buildvcs", "compiler", "cover", "covermode", "coverpkg", "gccgoflags",
	"gcflags", "installsuffix", "ldflags", "linkshared", "mod", "modcacherw", "modfile", "msan", "overlay",
	"p", "pgo", "pkgdir", "race", "tags", "toolexec", "trimpath",
}

// buildLevel reads flags of go build. What follows one and is none itself
// belongs to it, so that -ldflags=-s -w needs no quotes. It returns the flags in
// the syntax of a shell.
func buildLevel(at scope, _ *Study) string {
	text, ok := at.printable("")
	words, err := shell.Split(text)
	if !ok {
		return ""
	}
	if err != nil {
		at.Report(i18n.New("study.bad-build-flags", "expected flags of go build: %v", err))
		return ""
	}
	var flags []string
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		switch {
		case strings.HasPrefix(word, "-") && slices.Contains(goFlags, name):
			flags = append(flags, word)
		case len(flags) > 0 && strings.Contains(flags[len(flags)-1], "="):
			flags[len(flags)-1] += " " + word
		default:
			at.Report(i18n.New("study.unknown-build-flag", "%s is no flag of go build that can be varied", form.Quote(word)), i18n.New("study.build-flags-form", "write it as -gcflags=-l or -ldflags='-s -w'"))
			return ""
		}
	}
	return shell.Join(flags)
}

// checkBuild refuses subjects whose build would not see the flags, or whose
// programs would overwrite each other.
func checkBuild(e entry, name string, s *Study) {
	checkStarted(e, s, i18n.New("study.build", "the build"))
	for _, subject := range s.Subjects {
		switch {
		case subject.Use != "" && !strings.HasPrefix(subject.Use, "go/"):
			e.name.Report(i18n.New("study.build-not-go", "the build of %s can't be varied: it is not a Go program", form.Quote(subject.Name)))
		case subject.Run == "":
		case subject.Build == "":
			e.name.Report(i18n.New("study.not-built-by-dyno", "%s is not built by dyno", form.Quote(subject.Name)), i18n.New("study.add-field", "add: %s: %s", "build", "go build $DYNO_BUILD_FLAGS -o $OUT/server ."))
		case !strings.Contains(subject.Build, "DYNO_BUILD_FLAGS"):
			e.name.Report(i18n.New("study.build-flags-unused", "the build of %s does not use $DYNO_BUILD_FLAGS, so the flags would change nothing", form.Quote(subject.Name)), i18n.Verbatim("go build $DYNO_BUILD_FLAGS -o $OUT/server ."))
		case !strings.Contains(subject.Build, "OUT") || !strings.Contains(subject.Run, "OUT"):
			e.name.Report(i18n.New("study.build-without-out", "build and run of %s do not use the folder $OUT, so that one level's program would overwrite the other's", form.Quote(subject.Name)), i18n.Verbatim("build: go build $DYNO_BUILD_FLAGS -o $OUT/server ., run: $OUT/server"))
		}
	}
}

// cpusLevel reads a number of CPUs or a list of them.
func cpusLevel(at scope, _ *Study) string {
	text, _ := at.Scalar()
	if strings.ContainsAny(text, ",-") {
		at.cpuSet()
		return text
	}
	return strconv.Itoa(at.Integer(1, maxCPU+1))
}

// PickCPUs returns the CPUs that the cell's subject runs on. placed are those it
// is given where its levels say nothing, of which a level may take the first
// few; online are all that a list may name.
func (c *Cell) PickCPUs(placed, online []int) ([]int, error) {
	if c.CPUs == "" {
		return placed, nil
	}
	if n, err := strconv.Atoi(c.CPUs); err == nil {
		if n < 1 || n > len(placed) {
			return nil, i18n.Errorf("study.cpus-beyond-subject", "cpus: %d CPUs can't be given to the subject, which has %v", n, placed)
		}
		return placed[:n:n], nil
	}
	cpus, ok := parseCPUSet(c.CPUs)
	for _, cpu := range cpus {
		ok = ok && slices.Contains(online, cpu)
	}
	if !ok {
		return nil, i18n.Errorf("study.cpus-unavailable", "cpus: the CPUs %s can't all be used; online are %v", c.CPUs, online)
	}
	return cpus, nil
}

func cpusEnd(at scope) float64 { return float64(at.Integer(1, maxCPU+1)) }

func checkCPUs(e entry, _ string, s *Study) {
	checkStarted(e, s, i18n.New("study.cpus", "the CPUs"))
	for _, subject := range s.Subjects {
		if subject.Limits != nil && len(subject.Limits.CPUSet) > 0 {
			e.name.Report(i18n.New("study.cpus-limited-already", "the CPUs of %s are fixed by its limits", form.Quote(subject.Name)), i18n.New("study.remove-cpuset", "remove cpuset"))
		}
	}
}

// unlimited is the level of a quota that leaves it out.
const unlimited = "none"

func checkQuota(e entry, _ string, s *Study) {
	checkStarted(e, s, i18n.New("study.limits", "the limits"))
}

func cpuLevel(at scope, _ *Study) string {
	if text, _ := at.Scalar(); text == unlimited {
		return text
	}
	return plain(cpuEnd(at))
}

func cpuEnd(at scope) float64 { return at.number(leastCPUs, mostCPUs) }

func memoryLevel(at scope, _ *Study) string {
	text, _ := at.Scalar()
	if text != unlimited {
		at.size()
	}
	return text
}

// memoryEnd reads an end of a range of memory, in MiB.
func memoryEnd(at scope) float64 { return float64(at.size() >> 20) }

// quotaOf is the CPU time of a level, 0 for no limit.
func quotaOf(level string) float64 {
	x, _ := strconv.ParseFloat(level, 64)
	return x
}

// bytesOf is the memory of a level, 0 for no limit.
func bytesOf(level string) int64 {
	n, _ := parseSize(level)
	return n
}

// kernelLevel reads the value of a setting of the machine, which is one line.
func kernelLevel(at scope, _ *Study) string {
	text := at.filled("")
	return strings.Join(strings.Fields(text), " ")
}

// checkKernel refuses what is no setting of any machine. Whether this one has it,
// and lets it be set, is known when the run begins.
func checkKernel(e entry, name string, _ *Study) {
	for part := range strings.SplitSeq(name, ".") {
		if !isName(part) {
			e.name.Report(i18n.New("study.bad-kernel-setting", "%s can't be the name of a kernel setting", form.Quote(name)), i18n.New("study.kernel-form", "kernel.net.ipv4.tcp_fastopen, or kernel.transparent_hugepages"))
			return
		}
	}
	var wrong *setting.NameError
	if errors.As(setting.CheckName(name), &wrong) {
		e.name.Report(wrong.What, wrong.Hint)
	}
}
