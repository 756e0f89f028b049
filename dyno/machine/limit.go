package machine

import "fmt"

// tooFewFiles explains a limit of open files that can't be raised far enough.
func tooFewFiles(need, have, hard uint64, cause error) error {
	return fmt.Errorf("%d files must be open at once, but the limit is %d (hard limit %d): run `ulimit -n %d` in the shell that starts dyno; if that is refused, root raises the hard limit (nofile in /etc/security/limits.conf, LimitNOFILE= in a systemd unit), and fs.nr_open if it is lower: %w", need, have, hard, need, cause)
}

// raise takes the soft limit to need. If need be, it tries to raise the hard
// limit too, which only root may. It returns the limits that hold afterwards.
func raise(need, soft, hard uint64, set func(soft, hard uint64) error) (have uint64, err error) {
	if soft >= need {
		return soft, nil
	}
	if hard >= need {
		// Not to the hard limit: it may be a billion, and there are programs that
		// close, one by one, as many files as they might have open.
		if err := set(need, hard); err != nil {
			return soft, tooFewFiles(need, soft, hard, err)
		}
		return need, nil
	}
	refused := set(need, need)
	if refused == nil {
		return need, nil
	}
	if soft < hard && set(hard, hard) == nil {
		soft = hard
	}
	return soft, tooFewFiles(need, soft, hard, refused)
}
