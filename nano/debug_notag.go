//go:build !nanodebug

package nano

const debugBuild = false
