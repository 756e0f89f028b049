package setting

import (
	"testing"
)

// Root writes what a journal in a folder of the user's says: only where the setting that
// it names is, and what can stand there.
func TestCheck(t *testing.T) {
	const swappiness, core = "proc/sys/vm/swappiness", "proc/sys/kernel/core_pattern"
	for _, tt := range []struct {
		Change
		ok bool
	}{
		{Change{"swappiness", swappiness, "60", "1"}, true},
		{Change{"vm.swappiness", swappiness, "60", "1"}, true},
		{Change{"governor", "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave", "performance"}, true},
		{Change{"idle_states", "sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "0", "1"}, true},
		{Change{"port_range", pathPorts, "32768 60999", "10240 65535"}, true},
		{Change{"net.ipv4.tcp_rmem", "proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456", "4096 131072 8388608"}, true},
		{Change{"governor", "proc/sys/kernel/domainname", "evil", "none"}, false},
		{Change{"governor", core, "|/tmp/x", "core"}, false},
		{Change{"swappiness", core, "60", "1"}, false},
		{Change{"vm.swappiness", core, "60", "1"}, false},
		{Change{"kernel.core_pattern", core, "|/tmp/x", "core"}, false},
		{Change{"kernel.core_patter?", core, "|/tmp/x", "core"}, false},
		{Change{"kernel.*", core, "|/tmp/x", "core"}, false},
		{Change{"kernel/core_pattern.", core, "|/tmp/x", "core"}, false},
		{Change{"kernel./core_pattern", core, "|/tmp/x", "core"}, false},
		{Change{"kernel.modprobe", "proc/sys/kernel/modprobe", "/tmp/x", "/sbin/modprobe"}, false},
		{Change{"kernel.usermodehelper.bset", "proc/sys/kernel/usermodehelper/bset", "1", "2"}, false},
		{Change{"fs.binfmt_misc.register", "proc/sys/fs/binfmt_misc/register", ":x:M::x::/tmp/x:", "1"}, false},
		{Change{"proc.sys.vm.swappiness", "proc/sys/proc/sys/vm/swappiness", "60", "1"}, false},
		{Change{"", swappiness, "60", "1"}, false},
		{Change{"swap", swappiness, "60", "1"}, false},
		{Change{"swappiness", "/" + swappiness, "60", "1"}, false},
		{Change{"swappiness", "sys/../" + swappiness, "60", "1"}, false},
		{Change{"swappiness", "etc/shadow", "60", "1"}, false},
		{Change{"governor", "sys/devices/system/cpu/cpu3/../cpufreq/scaling_governor", "powersave", "performance"}, false},
		{Change{"governor", "sys/devices/system/cpu/cpu3/x/cpufreq/scaling_governor", "powersave", "performance"}, false},
		{Change{"swappiness", swappiness, "60\n1", "1"}, false},
		{Change{"swappiness", swappiness, "60", ""}, false},
		{Change{"net.ipv4.tcp_rmem", "proc/sys/net/ipv4/tcp_rmem", "1\n2", "3"}, false},
	} {
		if err := Check(tt.Change); (err == nil) != tt.ok {
			t.Errorf("%+v: %v, want ok %v", tt.Change, err, tt.ok)
		}
	}
}

// All that tuning changes is what restoring takes back.
func TestChangesAreChecked(t *testing.T) {
	for _, s := range settings {
		if s.better != nil && len(kinds[s.Name].files) == 0 {
			t.Errorf("%s is tuned, and not restored", s.Name)
		}
	}
}
