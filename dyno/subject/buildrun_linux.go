package subject

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// buildAttributes gives a build a process group of its own and lets its shell
// die with dyno.
func buildAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// syncBuild sees all that was built in a folder onto the disk.
func syncBuild(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd())) // one call for however many files
}
