// Package embeddedetcd has nanogate's command run an etcd server within its process, by
// --embedded-etcd: to try discovery out. It is imported for that effect.
package embeddedetcd
