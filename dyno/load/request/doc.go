// Package request is what a load sends and to whom: requests with their templates and
// feeds, the target, how connections to it are made ([Link], [TLS]), and which of all
// that is a secret.
//
// What users write is checked here ([Request.Check]) and compiled ([Compile]) into
// bytes that the engines send without allocating. Nothing here sends anything.
package request
