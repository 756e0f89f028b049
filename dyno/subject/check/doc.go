// Package check decides whether subjects that ship with dyno are fit to be measured: it
// builds each, starts it, verifies its contract, and stops it.
//
// [Plan] says what is to be built, what that takes on disk, and what is missing;
// [Checker.Build] builds it, several subjects at a time; [Checker.Try] starts
// and verifies one at a time, so that no start is timed during a build.
package check
