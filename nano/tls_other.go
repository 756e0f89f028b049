//go:build !linux

package nano

import "crypto/tls"

// giveToLoop: there are no loops.
func (a *App) giveToLoop(*tls.Conn, *stdConn) bool { return false }
