package tune

import (
	"strings"
	"testing"

	"dyno.example/dyno/machine/setting"
	"dyno.example/internal/i18n"
)

func TestWriteTuned(t *testing.T) {
	governor := func(cpu, old string) setting.Change {
		return setting.Change{Setting: "governor", Path: "sys/" + cpu + "/scaling_governor", Old: old, New: "performance"}
	}
	thp := setting.Change{Setting: "transparent_hugepages", Path: "sys/thp", Old: "always", New: "madvise"}
	var b strings.Builder
	Describe(&b, []Done{
		{Change: governor("cpu0", "powersave")}, {Change: governor("cpu1", "powersave")}, {Change: governor("cpu2", "ondemand")},
		{Change: thp, Why: i18n.Verbatim("needs root")},
	}, false, i18n.Message.String)
	const tuned = `  governor               powersave -> performance   /sys/cpu0/scaling_governor and 1 more
  governor               ondemand -> performance   /sys/cpu2/scaling_governor
  transparent_hugepages  always -> madvise   /sys/thp
                         not set: needs root
3 of 4 set; dyno machine restore puts back what was before
`
	if got := b.String(); got != tuned {
		t.Errorf("got\n%s\nwant\n%s", got, tuned)
	}
	b.Reset()
	DescribeRestored(&b, []Undone{
		{Change: thp, Outcome: Foreign, Now: "never", Why: i18n.Verbatim("it is never, which dyno has not set")},
		{Change: governor("cpu1", "powersave"), Outcome: Restored}, {Change: governor("cpu0", "powersave"), Outcome: Restored},
		{Change: thp, Outcome: Rebooted, Now: "madvise"},
	}, i18n.Message.String)
	const restored = `  transparent_hugepages  foreign    always   /sys/thp
                         it is never, which dyno has not set
  governor               restored   powersave   /sys/cpu1/scaling_governor and 1 more
  transparent_hugepages  rebooted   always   /sys/thp
                         it is madvise since the machine was booted: something else sets it
`
	if got := b.String(); got != restored {
		t.Errorf("got\n%s\nwant\n%s", got, restored)
	}
}
