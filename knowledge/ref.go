package knowledge

import (
	"net/mail"
	"strings"
)

// RefOf reads a reference that somebody wrote as one text: an id, a mail address, or a name.
func RefOf(text string) EntityRef {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, PrefixEntity+"_") {
		return EntityRef{ID: text}
	}
	if address, err := mail.ParseAddress(text); err == nil {
		return EntityRef{Identity: &ContactIdentity{Kind: "email", Value: address.Address}}
	}
	return EntityRef{Name: text}
}
