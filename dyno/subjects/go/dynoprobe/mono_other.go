//go:build !linux

package dynoprobe

// monotonic gives 0: there is no clock to share with dyno here.
func monotonic() int64 { return 0 }
