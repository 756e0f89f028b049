// Package kernel has the kernel note what happens to a server's threads and sockets, by small
// programs on BTF raw tracepoints, and reads what they noted.
//
// The programs are C (events.bpf.c), as clang 14 compiles it; the object is in the repository
// and in the binary, so that neither users nor those who build dyno need a compiler for them.
// The loader fits it to the running kernel by the kernel's own description of its types (CO-RE).
//
// Nothing stays in the kernel: programs, maps and links are held by descriptors of this
// process, and go with it, however it ends.
package kernel

//go:generate clang-14 -O2 -g -target bpf -mcpu=v3 -Wall -Werror -c events.bpf.c -o events.bpf.o
//go:generate llvm-strip -g events.bpf.o
