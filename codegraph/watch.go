package codegraph

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Defaults of watching.
const (
	DefaultQuiet   = 300 * time.Millisecond
	DefaultMaxWait = 3 * time.Second
)

// ErrWatch means that the platform does not let a folder be watched: on Linux often because
// fs.inotify.max_user_watches is too low for its subfolders.
var ErrWatch = errors.New("the folder cannot be watched")

// WatchOptions say how a folder is watched. The zero value is complete.
type WatchOptions struct {
	Quiet   time.Duration // how long nothing must happen before a change is told; default: DefaultQuiet
	MaxWait time.Duration // how long a change waits at most, while more happen; default: DefaultMaxWait
}

// Watch calls changed once, and then again whenever something below the folder has changed, one call at a time,
// until the context ends or changed fails. Folders that are never indexed are not watched. A change that happens
// during a call leads to another one. The error wraps ErrWatch or ErrNotAFolder, or is that of changed; nil when
// the context ends.
func Watch(ctx context.Context, folder string, o WatchOptions, changed func(ctx context.Context) error) error {
	if o.Quiet <= 0 {
		o.Quiet = DefaultQuiet
	}
	if o.MaxWait <= 0 {
		o.MaxWait = DefaultMaxWait
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWatch, err)
	}
	defer func() { _ = events.Close() }() // nothing is lost with it
	for {
		// Before the call, so that what changes meanwhile is heard.
		if err := watchFolders(ctx, events, folder); err != nil {
			return ended(ctx, err)
		}
		if err := changed(ctx); err != nil {
			return ended(ctx, err)
		}
		if err := awaitChange(ctx, events, o); err != nil {
			return ended(ctx, err)
		}
	}
}

// ended is nil where an error only says that the context has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// watchFolders watches every folder that is indexed. Those that are watched already stay so.
func watchFolders(ctx context.Context, events *fsnotify.Watcher, folder string) error {
	s, err := walked(ctx, folder, Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // only read
	for _, name := range s.folders {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := events.Add(path); err != nil {
			if info, gone := s.root.Stat(name); gone != nil || !info.IsDir() {
				continue
			}
			return fmt.Errorf("%w: %w", ErrWatch, err)
		}
	}
	return nil
}

// awaitChange returns when something has changed and nothing more happens for a while.
func awaitChange(ctx context.Context, events *fsnotify.Watcher, o WatchOptions) error {
	var quiet, latest <-chan time.Time
	heard := func() {
		quiet = time.After(o.Quiet)
		if latest == nil {
			latest = time.After(o.MaxWait)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-events.Events:
			if !open {
				return ErrWatch
			}
			if e.Op != fsnotify.Chmod {
				heard()
			}
		case err, open := <-events.Errors:
			if !open {
				return ErrWatch
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("%w: %w", ErrWatch, err)
			}
			heard() // some were lost: something has changed
		case <-quiet:
			return nil
		case <-latest:
			return nil
		}
	}
}
