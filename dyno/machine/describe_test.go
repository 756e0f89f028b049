package machine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dyno.example/internal/i18n"
)

func TestDescribe(t *testing.T) {
	f := Reader{Root: server()}.Read()
	f.Arch, f.GoVersion, f.FileLimit, f.Load1, f.Busy = "amd64", "go1.26.0", 1024, 0.25, 0.1
	f.Load1 = 4
	var b strings.Builder
	if err := Describe(&b, f, i18n.Message.String); err != nil {
		t.Fatal(err)
	}
	const want = `System       Debian GNU/Linux 12 (bookworm), kernel 6.1.0-18-amd64, linux/amd64
Processor    Example CPU @ 3.00GHz
CPUs         8 online, SMT on, 2 NUMA nodes
Memory       62.5 GiB
Right now    load average 4.00, 0.1 CPUs busy
Built with   go1.26.0

What speaks against measuring just now:
  - The load average is already 4.00 on 8 CPUs: wait until it has fallen, or find what runs with ` + "`top`" + `.
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDescribeNothing(t *testing.T) {
	var b strings.Builder
	if err := Describe(&b, Fingerprint{OS: "plan9", Arch: "mips"}, i18n.Message.String); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "Processor    unknown\n") || strings.Contains(got, "  - ") {
		t.Errorf("got\n%s", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestDescribeTellsErrors(t *testing.T) {
	if err := Describe(full{}, Fingerprint{}, i18n.Message.String); err == nil {
		t.Error("no error from a full disk")
	}
}

func TestReadThisMachine(t *testing.T) {
	f := Read()
	if f.OS == "" || f.Arch == "" || f.GoVersion == "" || f.CPUs < 1 {
		t.Errorf("fingerprint = %+v", f)
	}
	cpus := OnlineCPUs()
	if len(cpus) == 0 || len(cpus) > f.CPUs || !slices.IsSorted(cpus) {
		t.Errorf("CPUs %v of %d", cpus, f.CPUs)
	}
}
