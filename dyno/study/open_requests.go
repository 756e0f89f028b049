package study

import (
	"path/filepath"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// OpenRequests reads a file of requests: a list as under requests in a study, or
// fields requests and feeds as a study has them. In addition to its own feeds, the
// requests may use those given; all of them are returned. The error is of type
// [Problems] if the file was read and is wrong.
func OpenRequests(path string, given []request.Feed) ([]request.Request, []request.Feed, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, nil, i18n.Errorf("study.reading-requests", "reading the requests: %w", err)
	}
	return ParseRequests(filepath.Clean(path), src, given)
}

// ParseRequests is [OpenRequests] for a file that was read; path is its name in
// messages and where relative paths in it start from.
func ParseRequests(path string, src []byte, given []request.Feed) ([]request.Request, []request.Feed, error) {
	in := newInput(path, nil)
	var requests []request.Request
	feeds := given
	if root, ok := in.document(src); ok {
		requests, feeds = in.requests(root, given)
	}
	if len(in.Problems) > 0 {
		in.Problems.Sort()
		return nil, nil, in.Problems
	}
	return requests, feeds, nil
}

func (in *input) requests(root scope, feeds []request.Feed) ([]request.Request, []request.Feed) {
	in.useFeeds(root, feeds)
	if !root.IsMapping() {
		return requestsAt(root), feeds
	}
	f, understood := root.fields("requests", "feeds")
	if at, ok := f["feeds"]; ok {
		feeds = append(in.feedsAt(at), feeds...)
		in.useFeeds(at, feeds)
	}
	at, ok := f["requests"]
	if !ok {
		if understood {
			root.Report(i18n.New("study.no-requests", "the file has no requests"), i18n.New("study.add-field", "add: %s: %s", "requests", "[{get: /}]"))
		}
		return nil, feeds
	}
	return requestsAt(at), feeds
}
