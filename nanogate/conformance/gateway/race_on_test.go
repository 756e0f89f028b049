//go:build race

package gateway_test

// raceDetector is on: pools of memory forget what they are given now and then.
const raceDetector = true
