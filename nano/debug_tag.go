//go:build nanodebug

package nano

// debugBuild makes Config.Debug true for all apps.
const debugBuild = true
