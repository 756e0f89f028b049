package evidence

import (
	"runtime"
	"strconv"
)

// numbers are the system calls that threads are seen waiting in, by architecture.
var numbers = map[string]map[int16]string{
	"amd64": {
		0: "read", 1: "write", 7: "poll", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 23: "select", 35: "nanosleep",
		40: "sendfile", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4",
		72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk", 25: "mremap",
		26: "msync", 28: "madvise", 162: "sync", 202: "futex", 208: "io_getevents", 230: "clock_nanosleep", 232: "epoll_wait",
		257: "openat", 270: "pselect6", 271: "ppoll", 275: "splice", 277: "sync_file_range", 281: "epoll_pwait", 288: "accept4",
		285: "fallocate", 295: "preadv", 296: "pwritev", 299: "recvmmsg", 306: "syncfs", 307: "sendmmsg", 426: "io_uring_enter",
		441: "epoll_pwait2", 449: "futex_waitv", 455: "futex_wait", 87: "unlink", 82: "rename", 263: "unlinkat", 264: "renameat",
		4: "stat", 262: "newfstatat", 332: "statx", 77: "ftruncate", 128: "rt_sigtimedwait", 247: "waitid", 24: "sched_yield",
	},
	"arm64": {
		63: "read", 64: "write", 67: "pread64", 68: "pwrite64", 65: "readv", 66: "writev", 101: "nanosleep", 71: "sendfile",
		203: "connect", 202: "accept", 206: "sendto", 207: "recvfrom", 211: "sendmsg", 212: "recvmsg", 260: "wait4", 25: "fcntl",
		32: "flock", 82: "fsync", 83: "fdatasync", 222: "mmap", 226: "mprotect", 215: "munmap", 214: "brk", 216: "mremap",
		227: "msync", 233: "madvise", 81: "sync", 98: "futex", 4: "io_getevents", 115: "clock_nanosleep", 56: "openat",
		72: "pselect6", 73: "ppoll", 76: "splice", 84: "sync_file_range", 22: "epoll_pwait", 242: "accept4", 47: "fallocate",
		69: "preadv", 70: "pwritev", 243: "recvmmsg", 267: "syncfs", 269: "sendmmsg", 426: "io_uring_enter", 441: "epoll_pwait2",
		449: "futex_waitv", 455: "futex_wait", 35: "unlinkat", 38: "renameat", 79: "newfstatat", 291: "statx", 46: "ftruncate",
		137: "rt_sigtimedwait", 95: "waitid", 124: "sched_yield",
	},
}

// waits says what a thread that sleeps in a system call waits for.
var waits = map[string]Stage{
	"poll": Poll, "ppoll": Poll, "select": Poll, "pselect6": Poll, "epoll_wait": Poll, "epoll_pwait": Poll, "epoll_pwait2": Poll,
	"io_uring_enter": Poll, "accept": Poll, "accept4": Poll,
	"futex": Lock, "futex_wait": Lock, "futex_waitv": Lock, "flock": Lock, "fcntl": Lock,
	"fsync": Disk, "fdatasync": Disk, "sync": Disk, "syncfs": Disk, "msync": Disk, "sync_file_range": Disk, "fallocate": Disk, "io_getevents": Disk,
	"nanosleep": Sleep, "clock_nanosleep": Sleep, "connect": Upstream,
	"mmap": PageFault, "munmap": PageFault, "brk": PageFault, "mprotect": PageFault, "mremap": PageFault, "madvise": PageFault,
	"sendto": SendQueue, "sendmsg": SendQueue, "sendmmsg": SendQueue, "sendfile": SendQueue,
}

// CallName is the name of a system call; "system call N" if it is none that we know.
func CallName(number int16) string {
	if number < 0 {
		return ""
	}
	if name, ok := numbers[runtime.GOARCH][number]; ok {
		return name
	}
	return "system call " + strconv.Itoa(int(number))
}

// waitOf says what a thread waits for that was switched out as an event says.
func waitOf(out *Event) (Stage, string) {
	name := CallName(out.Call)
	switch {
	case out.A&halted != 0:
		return Stopped, "stopped"
	case out.Call < 0 && out.A&uninterrupt != 0:
		return PageFault, "page fault"
	case out.Call < 0:
		return Blocked, ""
	}
	stage, known := waits[name]
	switch {
	case known && stage != SendQueue:
		return stage, name
	case out.A&uninterrupt != 0:
		return Disk, name
	case known:
		return stage, name
	}
	return Blocked, name
}
