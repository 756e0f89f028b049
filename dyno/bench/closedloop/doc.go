// Package closedloop puts a closed loop on a server for a tenth of a second at a
// time. Its connections stay open between such slices, so that servers that are
// compared can take turns, and each slice ends when the last response is in: what
// was asked of a server meanwhile is known to the request.
package closedloop
