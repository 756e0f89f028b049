// Package busy finds which programs use a machine's CPUs other than what is measured:
// before a measurement ([Look]), and while a load runs ([Watch]).
//
// The kernel counts how much of each CPU was used, and how much CPU time each process
// used; it does not count which process used which CPU. So the amount is that of the
// CPUs, and names are those of the processes that used most and were seen there.
package busy
