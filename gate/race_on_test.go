//go:build race

package gate_test

// raceDetector is on: pools of memory forget what they are given now and then.
const raceDetector = true
