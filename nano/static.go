package nano

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"
)

// StaticOptions say how files are served. The zero value is fine.
type StaticOptions struct {
	// Index is the file that is served for its directory; empty means index.html.
	Index string
	// Fallback is the file that is sent, with status 200, for paths without a file: the
	// page of an application that routes in the browser. It always has Cache-Control:
	// no-cache, for it names the files of the newest release. Paths that end in an
	// extension are the application's own (/users/jane.doe) only for clients that ask
	// for text/html by name, as browsers do for pages: a missing script or image is
	// 404. Empty means 404 for all. Static panics if the file isn't there.
	Fallback string
	// MaxAge lets clients reuse files without revalidation. 0 makes them revalidate
	// each time, which the ETag makes cheap.
	MaxAge time.Duration
	// Immutable says that a file never changes under its name, as with a hash in it. It
	// doesn't hold for Index and Fallback, which every release replaces.
	Immutable bool
	// Precompressed sends a file.br, file.zst or file.gz that lies next to a file
	// to clients that accept it.
	Precompressed bool
	// DotFiles also serves what begins with a dot, as .well-known does.
	DotFiles bool
}

// Static serves the files of a tree below the prefix, for GET and HEAD. Nothing
// outside of fsys can be reached: a directory of the system, given as
// os.DirFS(dir), is opened with os.Root, so that symbolic links can't lead out
// of it either. Directories are not listed; what begins with a dot is hidden. A path
// with an encoded slash (%2F) names no file: it would pass by routes that guard a part
// of the tree. It panics if the directory can't be opened, or lacks the Fallback.
//
// Files are sent with sendfile(2) where the system and the connection allow it;
// that never holds other clients up. Small files of an os.DirFS, up to 16 KB each and
// 16 MB together, are kept in memory, and looked at for a change at each request.
func (g *Group) Static(prefix string, fsys fs.FS, o StaticOptions, options ...Option) {
	g.Get(strings.TrimSuffix(prefix, "/")+"/", newStatic(fsys, o).serve, options...)
}

// static is one tree of files.
type static struct {
	fsys    fs.FS
	options StaticOptions
	cache   string
	tags    sync.Map // of files without a time: name → ETag
}

func newStatic(fsys fs.FS, o StaticOptions) *static {
	s := &static{fsys: rooted(fsys), options: o}
	if s.options.Index == "" {
		s.options.Index = "index.html"
	}
	if s.options.Fallback != "" {
		s.options.Fallback = strings.TrimPrefix(path.Clean(s.options.Fallback), "/") // as it is compared with names
		info, err := fs.Stat(s.fsys, s.options.Fallback)
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a regular file")
		}
		if err != nil {
			panic(fmt.Sprintf("nano: static files at %s: the fallback %s: %v", caller(), s.options.Fallback, err))
		}
	}
	s.cache = s.cacheControl()
	return s
}

// rooted makes an os.DirFS one that can't be left, and that keeps its small files in
// memory.
func rooted(fsys fs.FS) fs.FS {
	v := reflect.ValueOf(fsys)
	if v.Type() != reflect.TypeOf(os.DirFS(".")) {
		return fsys
	}
	root, err := os.OpenRoot(v.String())
	if err != nil {
		panic(fmt.Sprintf("nano: static files at %s: %v", caller(), err))
	}
	return newKeptFiles(root.FS(), v.String())
}

func (s *static) cacheControl() string {
	if s.options.Immutable {
		return fmt.Sprintf("public, max-age=%d, immutable", int64(max(s.options.MaxAge, 365*24*time.Hour)/time.Second))
	}
	if s.options.MaxAge <= 0 {
		return "no-cache" // to be revalidated
	}
	return fmt.Sprintf("public, max-age=%d", int64(s.options.MaxAge/time.Second))
}

// serve responds for one path.
func (s *static) serve(c Ctx) error {
	name := string(c.Rest())
	if m := &c.x.match; m.HadSlash(m.N - 1) {
		return c.x.app.config.NotFound(c)
	}
	folder := name == "" || strings.HasSuffix(name, "/")
	name = path.Join(".", strings.TrimSuffix(name, "/"))
	if !s.allows(name) {
		return s.missing(c)
	}
	if folder {
		name = path.Join(name, s.options.Index)
	}
	f, info, err := s.open(name)
	if err != nil {
		return s.missing(c)
	}
	if info.IsDir() {
		f.Close()
		if folder || !s.has(path.Join(name, s.options.Index)) {
			return s.missing(c)
		}
		return c.toFolder()
	}
	return s.send(c, f, name)
}

// allows reports whether clients may name the file at all.
func (s *static) allows(name string) bool {
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	if s.options.DotFiles || name == "." {
		return true
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment[0] == '.' {
			return false
		}
	}
	return true
}

func (s *static) open(name string) (fs.File, fs.FileInfo, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (s *static) has(name string) bool {
	f, info, err := s.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return info.Mode().IsRegular()
}

// missing responds for a path without a file.
func (s *static) missing(c Ctx) error {
	if s.options.Fallback != "" && s.isPage(c) {
		if f, info, err := s.open(s.options.Fallback); err == nil {
			if info.Mode().IsRegular() {
				return s.send(c, f, s.options.Fallback)
			}
			f.Close()
		}
	}
	return c.live().app.config.NotFound(c)
}

// isPage reports whether a path that isn't there may be one that the application
// in the browser knows, and not a file that it lacks.
func (s *static) isPage(c Ctx) bool {
	rest := c.Rest()
	if path.Ext(unsafeString(rest)) == "" {
		return true
	}
	c.Vary("Accept")
	return bytes.Contains(c.Header("Accept"), []byte("text/html"))
}

// cacheOf returns the Cache-Control of a file.
func (s *static) cacheOf(name string) string {
	if name == s.options.Fallback || s.options.Immutable && path.Base(name) == s.options.Index {
		return "no-cache"
	}
	return s.cache
}

// toFolder sends the client to the directory's own path, from which relative
// links of its index lead on.
func (c Ctx) toFolder() error {
	to := c.Path().String() + "/"
	if q := c.RawQuery(); len(q) > 0 {
		to += "?" + string(q)
	}
	c.SetHeader("Location", to)
	return c.NoContent(301)
}

// send responds with an open file, or with its compressed version next to it.
func (s *static) send(c Ctx, f fs.File, name string) error {
	c.SetHeader("X-Content-Type-Options", "nosniff")
	if c.live().responseField("Cache-Control") == nil {
		c.SetHeader("Cache-Control", s.cacheOf(name))
	}
	sent := name
	if s.options.Precompressed {
		c.AddHeader("Vary", "Accept-Encoding")
		if g, coding := s.compressed(c, name); g != nil {
			f.Close()
			f, sent = g, name+"."+coding
		}
	}
	return c.sendOpen(f, name, func(d *content) (string, error) { return s.tagOf(d, sent) })
}

// codings are the content codings by preference, with what their files end in.
var codings = [...]struct{ name, ending string }{{"br", "br"}, {"zstd", "zst"}, {"gzip", "gz"}}

// compressed opens the file next to name in the best coding that the
// client accepts; nil if there is none.
func (s *static) compressed(c Ctx, name string) (fs.File, string) {
	for _, coding := range codings {
		if c.AcceptsEncoding(coding.name) == "" {
			continue
		}
		f, info, err := s.open(name + "." + coding.ending)
		if err != nil {
			continue
		}
		if info.Mode().IsRegular() {
			c.SetHeader("Content-Encoding", coding.name)
			return f, coding.ending
		}
		f.Close()
	}
	return nil, ""
}

// tagOf computes the ETag of a file without a time once: what is embedded doesn't
// change.
func (s *static) tagOf(d *content, name string) (string, error) {
	if tag, ok := s.tags.Load(name); ok {
		return tag.(string), nil
	}
	tag, err := d.hash()
	if err == nil {
		s.tags.Store(name, tag)
	}
	return tag, err
}

// Bounds of the small files that one tree keeps in memory.
const (
	keptFileSize = smallFile
	keptBytes    = 16 << 20
	// keptAge is how long ago a file must have changed when it is read: what is written
	// twice within the grain of the file system's clock has the same time both times.
	keptAge = 2 * time.Second
)

// keptFiles keeps the small files of a directory in memory. A file is checked for its
// time and size at each request; only opening, reading and closing it are saved, which
// cost several times the rest of a response. What is sent is therefore never older than
// the file. It is safe for concurrent use.
type keptFiles struct {
	fs.FS
	dir string        // the same directory, by its path
	age time.Duration // keptAge

	mu    sync.RWMutex
	files map[string]*keptFile
	bytes int
}

// keptFile is the content of a file at a time.
type keptFile struct {
	info fs.FileInfo
	body []byte
}

func newKeptFiles(fsys fs.FS, dir string) *keptFiles {
	return &keptFiles{FS: fsys, dir: dir, age: keptAge, files: make(map[string]*keptFile)}
}

// Open opens a file, from memory if it is there and has not changed.
func (k *keptFiles) Open(name string) (fs.File, error) {
	k.mu.RLock()
	kept := k.files[name]
	k.mu.RUnlock()
	if kept != nil {
		// The path may lead out of the directory by now, by a symbolic link: then it is
		// another file, and the directory itself decides about it.
		info, err := os.Stat(k.dir + string(filepath.Separator) + filepath.FromSlash(name))
		if err == nil && kept.is(info) {
			return kept.open(), nil
		}
		k.forget(name, kept)
	}
	f, err := k.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return k.keep(name, f), nil
}

// is reports whether what is there now is the file as it was read. The time of its last
// change (ctime) counts too: releases are built and copied with modification times that
// never change.
func (kept *keptFile) is(now fs.FileInfo) bool {
	was := kept.info
	return now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()) && now.Mode() == was.Mode() &&
		changed(now).Equal(changed(was)) && os.SameFile(now, was)
}

// keep returns a file with the content of f, which it closes, if that is worth
// keeping; else f.
func (k *keptFiles) keep(name string, f fs.File) fs.File {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > keptFileSize || time.Since(info.ModTime()) < k.age || time.Since(changed(info)) < k.age {
		return f
	}
	seeker, ok := f.(io.Seeker)
	if !ok {
		return f
	}
	body := make([]byte, info.Size())
	if _, err = io.ReadFull(f, body); err == nil {
		var after fs.FileInfo
		kept := &keptFile{info, body}
		if after, err = f.Stat(); err == nil && kept.is(after) {
			f.Close()
			k.add(name, kept)
			return kept.open()
		}
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return f // whoever reads it meets the same error
	}
	return f
}

// add keeps a file, and makes room for it.
func (k *keptFiles) add(name string, kept *keptFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.files[name]; old != nil {
		k.bytes -= old.cost(name)
	}
	k.files[name] = kept
	k.bytes += kept.cost(name)
	for other, file := range k.files { // in no order: any of them may go
		if k.bytes <= keptBytes {
			break
		}
		if other != name {
			delete(k.files, other)
			k.bytes -= file.cost(other)
		}
	}
}

// forget drops a file that has changed or gone.
func (k *keptFiles) forget(name string, kept *keptFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files[name] == kept {
		delete(k.files, name)
		k.bytes -= kept.cost(name)
	}
}

// cost is about what it takes to keep a file, in bytes.
func (kept *keptFile) cost(name string) int { return len(name) + len(kept.body) + 512 }

// open returns the content as an open file.
func (kept *keptFile) open() fs.File {
	f := &openKept{info: kept.info}
	f.Reset(kept.body)
	return f
}

// openKept is a kept file, being read. It has no descriptor.
type openKept struct {
	bytes.Reader
	info fs.FileInfo
}

func (f *openKept) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openKept) Close() error               { return nil }
