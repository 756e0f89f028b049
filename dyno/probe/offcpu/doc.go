// Package offcpu is where the threads of processes were in their own code while they were off
// the CPU, and for how long: each time that one leaves it and comes back, not a sample. Stacks
// are those of frame pointers, with what [sampled] says of them.
//
// The programs are C (switches.bpf.c), as clang 14 compiles it; the object is in the repository
// and in the binary. Nothing stays in the kernel: programs, maps and links are held by
// descriptors of this process, and go with it, however it ends.
package offcpu

//go:generate clang-14 -O2 -g -target bpf -mcpu=v3 -Wall -Werror -c switches.bpf.c -o switches.bpf.o
//go:generate llvm-strip -g switches.bpf.o
