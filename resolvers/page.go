package resolvers

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"mneme/graph/model"
	"mneme/knowledge"
)

// maxCursorLength bounds what is decoded as a cursor.
const maxCursorLength = 4_096

// pager reads page arguments of one list and writes its cursors. Its tag stands
// for the list: the field, what it belongs to and every argument but the page's.
type pager struct {
	tag      string
	question string // what is asked of the owner, page and all: equal for all owners in a list
	request  knowledge.PageRequest
}

// forward reads the arguments of a list that is only read from the front.
func forward(ctx context.Context, owner string, first, limit int, after *string) (*pager, error) {
	return newPager(ctx, owner, limit, pageArgs{first: &first, after: after})
}

// eitherWay reads the arguments of a list that is read from the front or the back.
func eitherWay(ctx context.Context, owner string, first *int, after *string, last *int, before *string) (*pager, error) {
	return newPager(ctx, owner, knowledge.MaxPage, pageArgs{first: first, after: after, last: last, before: before})
}

type pageArgs struct {
	first, last   *int
	after, before *string
}

func newPager(ctx context.Context, owner string, limit int, args pageArgs) (*pager, error) {
	p := newQuestion(ctx, owner)
	if args.first != nil && args.last != nil {
		return nil, knowledge.Invalid("last", "only one of first and last may be given")
	}
	if args.last == nil && args.before != nil {
		return nil, knowledge.Invalid("before", "goes only with last")
	}
	if args.last != nil && args.after != nil {
		return nil, knowledge.Invalid("after", "goes only with first")
	}
	size, field := args.first, "first"
	if args.last != nil {
		size, field = args.last, "last"
		p.request.Last = true
	}
	p.request.First = min(knowledge.DefaultPage, limit)
	if size != nil {
		p.request.First = *size
	}
	if p.request.First < 1 || p.request.First > limit {
		return nil, knowledge.Invalid(field, "must be from 1 to %d", limit)
	}
	var err error
	if p.request.After, err = p.decode("after", args.after); err != nil {
		return nil, err
	}
	p.request.Before, err = p.decode("before", args.before)
	return p, err
}

// newQuestion tells the list from others by the field, what it belongs to and all arguments but the page's.
func newQuestion(ctx context.Context, owner string) *pager {
	fc := graphql.GetFieldContext(ctx)
	list := make(map[string]any, len(fc.Args))
	for name, value := range fc.Args {
		switch name {
		case "first", "after", "last", "before":
		default:
			list[name] = value
		}
	}
	sum := sha256.Sum256([]byte(asJSON([]any{fc.Object, fc.Field.Name, owner, list})))
	return &pager{
		tag:      base64.RawURLEncoding.EncodeToString(sum[:6]),
		question: asJSON([]any{fc.Object, fc.Field.Name, fc.Args}),
	}
}

// asJSON writes arguments, which were JSON before they were decoded, in one form.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// encode writes a position of the list as an opaque text.
func (p *pager) encode(c knowledge.Cursor) string {
	b, err := json.Marshal([]string{p.tag, c.Key, c.ID})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decode reads what encode wrote for the same list; anything else is INVALID_INPUT.
func (p *pager) decode(field string, cursor *string) (*knowledge.Cursor, error) {
	if cursor == nil {
		return nil, nil //nolint:nilnil // from the start
	}
	invalid := knowledge.Invalid(field, "is no cursor of this list")
	if len(*cursor) > maxCursorLength {
		return nil, invalid
	}
	b, err := base64.RawURLEncoding.DecodeString(*cursor)
	if err != nil {
		return nil, invalid
	}
	var parts []string
	if json.Unmarshal(b, &parts) != nil || len(parts) != 3 || parts[0] != p.tag {
		return nil, invalid
	}
	return &knowledge.Cursor{Key: parts[1], ID: parts[2]}, nil
}

// connect turns a page into the parts of a connection: edges made by edge, and the page info.
func connect[T, E any](p *pager, page *knowledge.Page[T], edge func(cursor string, item T) E) ([]E, *model.PageInfo) {
	edges := make([]E, len(page.Items))
	info := &model.PageInfo{HasNextPage: page.HasNextPage, HasPreviousPage: page.HasPreviousPage}
	for i, item := range page.Items {
		cursor := p.encode(page.Cursors[i])
		edges[i] = edge(cursor, item)
		if i == 0 {
			info.StartCursor = &cursor
		}
		info.EndCursor = &cursor
	}
	return edges, info
}
