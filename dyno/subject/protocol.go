package subject

import (
	"syscall"
	"time"

	"dyno.example/dyno/subject/link"
)

// keeperArg is the hidden first argument that makes dyno a keeper.
const keeperArg = "__keeper"

// Descriptors a keeper is started with, after the standard three.
const (
	controlFD      = 3 // dyno → keeper: a launch request, then commands; its end is dyno's death
	notificationFD = 4 // keeper → dyno: notifications
)

// launchRequest is what a keeper is to start. It is the first JSON value on the control
// pipe.
type launchRequest struct {
	Name     string        `json:"name"`
	Argv     []string      `json:"argv"` // Argv[0] is a path
	Env      []string      `json:"env"`
	Dir      string        `json:"dir"`
	CPUs     []int         `json:"cpus"`
	Grace    time.Duration `json:"grace"` // from SIGTERM to SIGKILL
	StateDir string        `json:"state_dir"`
	Token    string        `json:"token"` // marks the environment of all descendants
	Owner    identity      `json:"owner"` // dyno
	Limits   Limits        `json:"limits"`
	LogLimit int64         `json:"log_limit"` // bytes

	Folder     string         `json:"folder,omitempty"` // made before, and removed after; empty for none
	RunAs      *Account       `json:"run_as,omitempty"` // nil for who runs dyno
	StopSignal syscall.Signal `json:"stop_signal"`

	Link *link.Link `json:"link,omitempty"` // between dyno and a namespace of its own; nil for none
}

// command is a JSON value that follows the launch request on the control pipe.
type command string

const (
	commandStop command = "stop" // StopSignal, grace, SIGKILL
	commandKill command = "kill" // SIGKILL at once
)

// notification is one JSON value on the notification pipe.
type notification struct {
	Event   event    `json:"event"`
	Entry   Entry    `json:"entry"`             // started
	Began   int64    `json:"began,omitempty"`   // started: monotonic ns just before exec
	Remarks []string `json:"remarks,omitempty"` // started: what could not be done
	Status  string   `json:"status,omitempty"`  // exited: "exit status 2", "signal: killed"
	Left    []int    `json:"left,omitempty"`    // gone: processes that could not be ended
	Killed  int      `json:"killed,omitempty"`  // gone: processes that had not ended after SIGTERM, or had no time to
	Error   string   `json:"error,omitempty"`   // failed

	Address     string   `json:"address,omitempty"`       // started: where it is behind a link; empty for loopback
	Unenforced  []string `json:"unenforced,omitempty"`    // started: limits that are not, and why
	OutOfMemory int      `json:"out_of_memory,omitempty"` // gone: processes killed for the limit of memory, if not reported yet
}

type event string

const (
	eventFailed  event = "failed"  // the subject could not be started
	eventStarted event = "started" // the subject runs
	eventExited  event = "exited"  // the subject's first process has ended
	eventGone    event = "gone"    // nothing of it is left; the last notification
)

// identity names a process for good: PIDs are reused.
type identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // start time in clock ticks since boot, /proc/PID/stat
}
