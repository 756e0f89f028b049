//go:build !race

package middleware

const racing = false
