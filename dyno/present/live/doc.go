// Package live shows runs and loads while they go on: as a display that is written
// over, as plain lines for logs, or as JSON Lines for programs.
package live
