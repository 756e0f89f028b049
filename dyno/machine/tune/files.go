package tune

import (
	"fmt"
	"os"
	"syscall"
)

// ownerError says that a file isn't one that this process may go by.
type ownerError struct{ message string }

func (e *ownerError) Error() string { return e.message }

// openPlain opens a file in DYNO_HOME, which may be a folder that others write in: what
// they link there isn't followed, since root would write wherever they like.
func openPlain(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if err := plain(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func plain(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || !info.Mode().IsRegular() || s.Nlink > 1 {
		return &ownerError{f.Name() + " is no plain file with one name: remove it"}
	}
	return nil
}

// openOwned opens a file whose content is trusted: it is this user's or root's, and no
// other user may write to it. Otherwise root would carry out what any user has written
// there.
func openOwned(path string, flags int) (*os.File, error) {
	f, err := openPlain(path, flags)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = owned(path, info, os.Geteuid())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func owned(path string, info os.FileInfo, user int) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return &ownerError{path + ": it can't be told whose it is"}
	case int(s.Uid) != user && s.Uid != 0:
		return &ownerError{fmt.Sprintf("%s is of user %d, who could have it say anything, and you are user %d: let that user run this, or remove the file", path, s.Uid, user)}
	case info.Mode().Perm()&0o022 != 0:
		return &ownerError{fmt.Sprintf("%s can be written by others (mode %#o): see what stands there, then chmod go-w it, or remove it", path, info.Mode().Perm())}
	}
	return nil
}
