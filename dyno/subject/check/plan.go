package check

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// Item is a subject that is to be checked.
type Item struct {
	Manifest subject.Manifest
	Lacks    []*subject.NeedError // what must be installed first; none if it can be built
	Cached   bool                 // it is built
}

// Ready reports whether this machine has all that the subject is built and run with.
func (i *Item) Ready() bool { return len(i.Lacks) == 0 }

// Plan plans the check of subjects without building any.
func Plan(ctx context.Context, b *subject.Builder, c *subject.Catalog, subjects []subject.Manifest) ([]Item, error) {
	items := make([]Item, len(subjects))
	artifacts, errs := b.Look(ctx, c, subjects)
	for i, m := range subjects {
		items[i].Manifest = m
		if errs[i] == nil {
			items[i].Cached = artifacts[i].Cached
			continue
		}
		if items[i].Lacks = lacking(errs[i]); items[i].Ready() {
			return nil, i18n.Errorf("runner.subject", "subject %s: %w", m.Name, errs[i])
		}
	}
	return items, nil
}

// lacking returns the missing tools that an error is about; none if it is about
// anything else.
func lacking(err error) []*subject.NeedError {
	var need *subject.NeedError
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*subject.NeedError
		for _, one := range several.Unwrap() {
			if !errors.As(one, &need) {
				return nil
			}
			all = append(all, need)
		}
		return all
	}
	if errors.As(err, &need) {
		return []*subject.NeedError{need}
	}
	return nil
}

// Disk estimates the bytes that building the items takes, and counts those that are
// to be built.
func Disk(items []Item) (builds int, bytes uint64) {
	for i := range items {
		if item := &items[i]; item.Ready() && !item.Cached {
			builds++
			bytes += item.Manifest.Build.Disk
		}
	}
	return builds, bytes
}

// Tools are what the items lack, each once.
func Tools(items []Item) (tools []subject.Need) {
	for i := range items {
		for _, lack := range items[i].Lacks {
			same := func(n subject.Need) bool { return reflect.DeepEqual(n, lack.Need) }
			if !slices.ContainsFunc(tools, same) {
				tools = append(tools, lack.Need)
			}
		}
	}
	return tools
}
