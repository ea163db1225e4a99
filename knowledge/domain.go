package knowledge

import (
	_ "embed"
	"net/netip"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// The lists of SPEC E6 to E8, one file each: a name a line, comments after #.
var (
	//go:embed maildata/labels.txt
	personalLabelList string
	//go:embed maildata/domains.txt
	personalDomainList string
	//go:embed maildata/relays.txt
	relayDomainList string
)

// personal are the lists as sets, read once: first labels, and domains.
var personal = sync.OnceValues(func() (labels, domains map[string]bool) {
	return listed(personalLabelList), listed(personalDomainList + relayDomainList)
})

func listed(text string) map[string]bool {
	set := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			set[line] = true
		}
	}
	return set
}

// MailDomain is the domain of a mail address: what stands between its first @ and the
// next, in lower case and Unicode form, without a trailing dot; empty without an @ (SPEC E3).
func MailDomain(address string) string {
	_, rest, found := strings.Cut(address, "@")
	if !found {
		return ""
	}
	domain, _, _ := strings.Cut(rest, "@")
	return unicodeDomain(domain)
}

// unicodeDomain is the form in which domains are compared.
func unicodeDomain(domain string) string {
	domain = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(domain)), ".")
	// What is no valid international name stays as it was written.
	if shown, err := idna.Lookup.ToUnicode(domain); err == nil {
		return shown
	}
	return domain
}

// machineLocal are the top levels that nobody can register below: names of machines
// (RFC 6761, 6762, 7686, 8375).
func machineLocal(domain string) bool {
	switch domain[strings.LastIndexByte(domain, '.')+1:] {
	case "arpa", "internal", "invalid", "lan", "local", "localdomain", "localhost", "onion":
		return true
	default:
		return false
	}
}

// RegistrableDomain is the part of a domain that somebody registered, by the Public Suffix
// List with its private section, in Unicode form; empty for a bare public suffix, a single
// label, a machine's own name or what is no domain (SPEC E4).
func RegistrableDomain(domain string) string {
	domain = unicodeDomain(domain)
	if _, err := netip.ParseAddr(strings.Trim(domain, "[]")); err == nil || machineLocal(domain) {
		return ""
	}
	ascii, err := idna.Punycode.ToASCII(domain)
	if err != nil {
		return ""
	}
	registrable, err := publicsuffix.EffectiveTLDPlusOne(ascii)
	if err != nil {
		return ""
	}
	return unicodeDomain(registrable)
}

// OrganizationLabel is the first label of a domain's registrable part (SPEC E5).
func OrganizationLabel(domain string) string {
	label, _, _ := strings.Cut(RegistrableDomain(domain), ".")
	return label
}

// PersonalDomain tells whether the mail of a domain belongs to persons: it is, or is below,
// a web-mail, access or relay provider's (SPEC E6–E8).
func PersonalDomain(domain string) bool {
	labels, domains := personal()
	domain = unicodeDomain(domain)
	for at := domain; at != ""; {
		if domains[at] {
			return true
		}
		_, at, _ = strings.Cut(at, ".")
	}
	return labels[OrganizationLabel(domain)]
}

// DomainOrganization is the name of the organisation that a domain's mail comes from;
// empty for a personal domain, and where the label is not longer than one character
// (SPEC E11).
func DomainOrganization(domain string) string {
	label := OrganizationLabel(domain)
	if utf8.RuneCountInString(label) < 2 || PersonalDomain(domain) {
		return ""
	}
	return capitalized(label)
}
