//go:build !race

package metrics_test

const racing = false
