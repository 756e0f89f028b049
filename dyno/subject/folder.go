package subject

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"dyno.example/internal/i18n"
)

// folderPrefix begins the names of folders of programs' own, which go with them.
const folderPrefix = "dyno-service-"

// ownFolder is where a program's own folder is below parent. Its name has the program's
// token, so that nothing else is ever taken for it and removed.
func ownFolder(parent, token string) string {
	return filepath.Join(parent, folderPrefix+token[:16])
}

// makeFolder makes a program's own folder, which must not be there.
func makeFolder(folder string, of *Account) error {
	if folder == "" {
		return nil
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	if of == nil {
		return nil
	}
	if err := os.Chown(folder, of.UID, of.GID); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	return nil
}

// removeFolder removes a folder that [makeFolder] has made for the program with the
// token, with all in it; what can't be removed stays, and costs space only.
func removeFolder(folder, token string) {
	if len(token) >= 16 && strings.HasSuffix(folder, string(filepath.Separator)+folderPrefix+token[:16]) {
		_ = os.RemoveAll(folder)
	}
}

// Account is who a program runs as.
type Account struct {
	Name string `json:"name"`
	UID  int    `json:"uid"`
	GID  int    `json:"gid"`
}

// credential leaves supplementary groups behind.
func (a *Account) credential() *syscall.Credential {
	return &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)}
}

// Unprivileged is the account for programs that refuse to run as root: the first of the
// names that this machine has; nil if this process isn't root's anyway. It fails if the
// machine has none of them.
func Unprivileged(names ...string) (*Account, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			continue
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil || uid == 0 {
			continue
		}
		return &Account{name, uid, gid}, nil
	}
	return nil, i18n.Errorf("subject.no-account", "it doesn't run as root, and this machine has none of the accounts %s to run it as; make one, such as by: useradd --system %s", i18n.Names(names...), names[0])
}

// FreePort finds a TCP port that is free and that no outgoing connection will take.
func FreePort() (int, error) { return freePort() }
