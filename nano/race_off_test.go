//go:build !race

package nano_test

const racing = false
