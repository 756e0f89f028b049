// Package studycmd has the commands about studies, their subjects and the claims they decide: what
// there is, what one would do, and what is published.
package studycmd
