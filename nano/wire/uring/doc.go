// Package uring drives Linux's io_uring with raw system calls: a submission and
// a completion queue shared with the kernel, so that one system call hands over
// any number of operations and waits for the first result.
//
// A [Ring] belongs to one thread (IORING_SETUP_SINGLE_ISSUER); completions are
// worked off only inside its own calls (IORING_SETUP_DEFER_TASKRUN), so nothing
// interrupts the thread. That needs Linux 6.1; [Open] returns an error that is
// [errors.ErrUnsupported] where it is missing or forbidden.
//
// See io_uring(7) and the kernel's include/uapi/linux/io_uring.h.
//
// It is part of the wire below nano and the lab, and may change with any version.
package uring
