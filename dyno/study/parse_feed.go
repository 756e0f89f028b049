package study

import (
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// feedsAt reads the feeds and their files, so that what requests take from them
// can be checked.
func (in *input) feedsAt(at scope) []request.Feed {
	before := len(in.Problems)
	var feeds []request.Feed
	for _, e := range at.entries() {
		f := feedAt(e)
		if f.File == "" {
			continue
		}
		if err := f.Check(); err != nil {
			e.value.Report(i18n.From(err))
			continue
		}
		feeds = append(feeds, f)
	}
	in.feedsUnread = len(in.Problems) > before
	in.useFeeds(at, feeds)
	return feeds
}

// useFeeds lets requests refer to the feeds.
func (in *input) useFeeds(at scope, feeds []request.Feed) {
	env, err := request.Environment(feeds)
	if err != nil {
		at.Report(i18n.From(err))
		return
	}
	in.env = env
}

// feedAt reads "users: users.csv", or a feed's fields.
func feedAt(e entry) request.Feed {
	f := request.Feed{Name: e.key}
	if !e.value.IsMapping() {
		f.File = e.value.filePath()
		return f
	}
	fields, understood := e.value.fields("file", "order", "end")
	if v, ok := fields["file"]; ok {
		f.File = v.filePath()
	} else if understood {
		e.value.Report(i18n.New("study.feed-without-file", "the feed has no file"), i18n.New("study.add-field", "add: %s: %s", "file", e.key+".csv"))
	}
	if v, ok := fields["order"]; ok {
		f.Order = request.Order(v.oneOf(string(request.InOrder), string(request.Random)))
	}
	if v, ok := fields["end"]; ok {
		f.End = request.End(v.oneOf(string(request.Repeat), string(request.Stop)))
	}
	return f
}
