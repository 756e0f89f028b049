//go:build !race

package gate_test

const raceDetector = false
