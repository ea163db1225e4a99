package ingest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mailHTML says what of a mail's HTML is not its writer's.
type mailHTML struct{ dropQuotes bool }

// htmlText is the visible text of a page or a mail as Markdown: headings, lists and
// tables stay, links become their text; what is hidden or only tracks is dropped. HTML
// that cannot be read (it is nested too deeply) gives the text between its tags.
func htmlText(source string, o mailHTML) string {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return strings.TrimSpace(html.UnescapeString(anyTag.ReplaceAllString(source, " ")))
	}
	prune(root, o)
	c := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	out, err := c.ConvertNode(root)
	if err != nil {
		return strings.TrimSpace(html.UnescapeString(anyTag.ReplaceAllString(source, " ")))
	}
	return strings.TrimSpace(string(out))
}

var (
	anyTag = regexp.MustCompile(`(?s)<[^>]*>`)
	hiding = regexp.MustCompile(`(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|!|$)|max-height\s*:\s*0(?:px)?\s*(?:;|!|$)|mso-hide\s*:\s*all)`)
)

// prune drops the nodes that nobody sees, those that are not the writer's, and the
// addresses of links and pictures.
func prune(n *html.Node, o mailHTML) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case unseen(child) || o.dropQuotes && notOwn(child):
			if divider(child) { // Outlook: all that follows is quoted
				for ; next != nil; next = child.NextSibling {
					n.RemoveChild(next)
				}
			}
			n.RemoveChild(child)
		case child.DataAtom == atom.A || child.DataAtom == atom.Img:
			prune(child, o)
			unwrap(n, child)
		default:
			prune(child, o)
		}
		child = next
	}
}

func unseen(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Select, atom.Button, atom.Nav:
		return true
	}
	hidden := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
	return hidden || attribute(n, "aria-hidden") == "true" || hiding.MatchString(attribute(n, "style"))
}

// notOwn tells whether an element of a mail is quoted or a signature, as mail programs mark them.
func notOwn(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	if n.DataAtom == atom.Blockquote && (attribute(n, "type") == "cite" || attribute(n, "cite") != "") {
		return true
	}
	for _, class := range strings.Fields(attribute(n, "class")) {
		switch class {
		case "gmail_quote", "gmail_attr", "gmail_signature", "moz-cite-prefix", "moz-signature", "yahoo_quoted", "protonmail_quote", "protonmail_signature_block":
			return true
		}
	}
	return divider(n) || attribute(n, "id") == "Signature"
}

func divider(n *html.Node) bool {
	id := attribute(n, "id")
	return id == "divRplyFwdMsg" || id == "appendonsend" || id == "OLK_SRC_BODY_SECTION"
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// unwrap puts an element's children, or a picture's description, in its place.
func unwrap(parent, n *html.Node) {
	if n.DataAtom == atom.Img {
		if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
			parent.InsertBefore(&html.Node{Type: html.TextNode, Data: alt}, n)
		}
		parent.RemoveChild(n)
		return
	}
	for child := n.FirstChild; child != nil; child = n.FirstChild {
		n.RemoveChild(child)
		parent.InsertBefore(child, n)
	}
	parent.RemoveChild(n)
}
