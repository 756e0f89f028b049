package study

import "dyno/lab/load"

// feedsAt reads the feeds and their files, so that what requests take from them
// can be checked.
func (in *input) feedsAt(at scope) []load.Feed {
	before := len(in.problems)
	var feeds []load.Feed
	for _, e := range at.entries() {
		f := feedAt(e)
		if f.File == "" {
			continue
		}
		if err := f.Check(); err != nil {
			e.value.problem("", "%v", err)
			continue
		}
		feeds = append(feeds, f)
	}
	in.feedsUnread = len(in.problems) > before
	in.useFeeds(at, feeds)
	return feeds
}

// useFeeds lets requests refer to the feeds.
func (in *input) useFeeds(at scope, feeds []load.Feed) {
	env, err := load.Environment(feeds)
	if err != nil {
		at.problem("", "%v", err)
		return
	}
	in.env = env
}

// feedAt reads "users: users.csv", or a feed's fields.
func feedAt(e entry) load.Feed {
	f := load.Feed{Name: e.key}
	if !e.value.isMapping() {
		f.File = e.value.filePath()
		return f
	}
	fields, understood := e.value.fields("file", "order", "end")
	if v, ok := fields["file"]; ok {
		f.File = v.filePath()
	} else if understood {
		e.value.problem("add: file: "+e.key+".csv", "the feed has no file")
	}
	if v, ok := fields["order"]; ok {
		f.Order = load.Order(v.oneOf(string(load.InOrder), string(load.Random)))
	}
	if v, ok := fields["end"]; ok {
		f.End = load.End(v.oneOf(string(load.Repeat), string(load.Stop)))
	}
	return f
}
