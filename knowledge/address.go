package knowledge

import (
	"net/mail"
	"strings"
)

// AddressOf is the address in a sender as mail writes it, with or without a name;
// empty where there is none.
func AddressOf(from string) string {
	from = strings.TrimSpace(from)
	if a, err := mail.ParseAddress(from); err == nil {
		return a.Address
	}
	if strings.ContainsAny(from, " <>") || !strings.Contains(from, "@") {
		return ""
	}
	return from
}
