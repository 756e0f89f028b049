// Package subject builds, starts, pins and stops programs under test. Package contract
// below it verifies their responses.
//
// A subject that ships with dyno is described by a [Manifest] and found in a [Catalog];
// a [Builder] turns its sources into an [Artifact] in a content-addressed cache. The
// user's own program is an [Own]. Both become a [StartSpec], and [Start] makes a
// running [Instance] of it, which serves on its own port, runs on its own CPUs and is
// stopped with all its descendants.
//
// No subject outlives dyno: each is the child of a small keeper process (see
// [KeeperMain]) that ends it when dyno is gone, however dyno went. Should the
// keeper be killed as well, [Sweep] ends what is left at the next start.
package subject
