package codegraph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
)

// wellKnown are interfaces of the standard library that others embed, as far as built-in types can say
// them. Without them an interface that embeds io.Closer would be one of which nothing is known.
var wellKnown = strings.NewReplacer("\t", "").Replace(`
	io.Reader: Read(p []byte) (n int, err error)
	io.Writer: Write(p []byte) (n int, err error)
	io.Closer: Close() error
	io.Seeker: Seek(offset int64, whence int) (int64, error)
	io.ReaderAt: ReadAt(p []byte, off int64) (n int, err error)
	io.WriterAt: WriteAt(p []byte, off int64) (n int, err error)
	io.ReadCloser: Read(p []byte) (n int, err error); Close() error
	io.WriteCloser: Write(p []byte) (n int, err error); Close() error
	io.ReadWriter: Read(p []byte) (n int, err error); Write(p []byte) (n int, err error)
	io.ReadWriteCloser: Read(p []byte) (n int, err error); Write(p []byte) (n int, err error); Close() error
	io.ReadSeeker: Read(p []byte) (n int, err error); Seek(offset int64, whence int) (int64, error)
	io.ReadSeekCloser: Read(p []byte) (n int, err error); Seek(offset int64, whence int) (int64, error); Close() error
	io.StringWriter: WriteString(s string) (n int, err error)
	io.ByteReader: ReadByte() (byte, error)
	io.ByteWriter: WriteByte(c byte) error
	fmt.Stringer: String() string
	fmt.GoStringer: GoString() string
	sort.Interface: Len() int; Less(i, j int) bool; Swap(i, j int)
	container/heap.Interface: Len() int; Less(i, j int) bool; Swap(i, j int); Push(x any); Pop() any
	encoding.TextMarshaler: MarshalText() (text []byte, err error)
	encoding.TextUnmarshaler: UnmarshalText(text []byte) error
	encoding.BinaryMarshaler: MarshalBinary() (data []byte, err error)
	encoding.BinaryUnmarshaler: UnmarshalBinary(data []byte) error
	encoding/json.Marshaler: MarshalJSON() ([]byte, error)
	encoding/json.Unmarshaler: UnmarshalJSON([]byte) error
	flag.Value: String() string; Set(string) error
	hash.Hash: Write(p []byte) (n int, err error); Sum(b []byte) []byte; Reset(); Size() int; BlockSize() int
	sync.Locker: Lock(); Unlock()
	database/sql.Scanner: Scan(src any) error
`)

// wellKnownInterface is an interface of the standard library, nil if it is none of the list.
func wellKnownInterface(importPath, name string) types.Type {
	_, rest, found := strings.Cut(wellKnown, "\n"+importPath+"."+name+": ")
	if !found {
		return nil
	}
	methods, _, _ := strings.Cut(rest, "\n")
	source := "package " + path.Base(importPath) + "; type I interface { " + methods + " }"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	pkg, err := (&types.Config{}).Check(importPath, fset, []*ast.File{file}, nil)
	if err != nil {
		return nil
	}
	return pkg.Scope().Lookup("I").Type().Underlying()
}
