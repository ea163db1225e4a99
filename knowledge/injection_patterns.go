package knowledge

import (
	"regexp"
	"strings"
)

// injectionPattern is one way to give a model orders. Patterns are held against
// legible text: lower case, without accents.
type injectionPattern struct {
	kind    Injection
	pattern *regexp.Regexp
	// lines: it is held against lines, of which it may need the beginning.
	lines bool
	// unless: what follows a hit in innocent text.
	unless *regexp.Regexp
}

// Words of the patterns, in English, German and French.
const (
	ordersEN = `(?:instructions?|prompts?|guidelines?|directives?|directions?|commands?|rules?|orders?|restrictions?|constraints?|safeguards?|programming|system messages?)`
	undoEN   = `(?:ignore|disregard|forget|override|overrule|overwrite|bypass|skip|neglect|circumvent|dismiss|discard|drop|set aside|do not (?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying)|no longer (?:follow|obey)|pay no attention to|erase|cancel)`
	whichEN  = `(?:all|any|every|each|the|your|my|our|these|those|of|above|previous|previously|prior|earlier|preceding|existing|original|former|foregoing|initial|past|given|current|system|other|and|or|safety|developer'?s?|that|you|were|came|stated|said|set|hidden|internal)`

	ordersDE = `(?:anweisung(?:en)?|instruktion(?:en)?|befehle?n?|vorgaben?|regeln?|anordnung(?:en)?|richtlinien?|prompts?|systemprompts?|auftrage?|vorschriften|einschrankung(?:en)?)`
	undoDE   = `(?:ignorier(?:e|en|t|st)?|vergiss|vergesst|vergessen|missacht(?:e|en|et)|ubergeh(?:e|en|t)|uberschreib(?:e|en|t)|umgeh(?:e|en|t)|verwirf|verwerfen|streiche?n?|losche?n?)`
	whichDE  = `(?:sie|du|bitte|jetzt|nun|sofort|alle[nrs]?|jede[nrs]?|die|deine[nrs]?|ihre[nrs]?|meine[nrs]?|unsere[nrs]?|diese[nrs]?|samtliche[nrs]?|vorherige[nrs]?|vorige[nrs]?|vorangegangene[nrs]?|vorangehende[nrs]?|vorhergehende[nrs]?|bisherige[nrs]?|fruhere[nrs]?|obige[nrs]?|obenstehende[nrs]?|ursprungliche[nrs]?|gegebene[nrs]?|bestehende[nrs]?|erhaltene[nrs]?|und|oder|der|den|dir|ihnen|oben|zuvor|vorher|anderen?|internen?|system)`

	ordersFR = `(?:instructions?|consignes?|directives?|ordres?|regles?|prompts?|commandes?|invites?|recommandations?|restrictions?)`
	undoFR   = `(?:ignore[rzs]?|ignorons|oublie[rzs]?|neglige[rzs]?|outrepasse[rzs]?|contourne[rzs]?|desobei(?:s|r|ssez)|annule[rzs]?|ecarte[rzs]?|abandonne[rzs]?|passe[rz]? outre|(?:ne )?(?:tiens|tenez|tenir) (?:pas |plus |aucun )?compte|(?:ne )?(?:suis|suivez) (?:pas|plus)|(?:fais|faites|faire) abstraction)`
	whichFR  = `(?:de|des|du|d'|l'|a|aux|au|toutes?|tous|tout|les?|la|ces?|cette|tes|vos|votre|ton|mes|nos|precedentes?|anterieures?|ci-dessus|initiales?|originales?|existantes?|autres?|et|ou|systeme|donnees|recues|qui|precedent|aux?)`

	roles   = `(?:system|developer|dev|admin|administrator|sysadmin|superuser|root|root user|creator|owner of (?:this|the) (?:system|model|assistant)|operator|maintainer)`
	rolesDE = `(?:system(?:administrator(?:in)?|admin)?|entwickler(?:in)?|admin(?:istrator(?:in)?)?|schopfer(?:in)?|ersteller(?:in)?|root|betreiber(?:in)?)`
	rolesFR = `(?:systeme|developpeu(?:r|se)|admin(?:istrat(?:eur|rice))?(?: (?:du )?systeme)?|createur|creatrice|concepteur|root|super-?utilisateur|operateur)`
	models  = `(?:ai|a\.i\.|llms?|language models?|large language models?|chat ?bots?|gpt|chatgpt|claude|gemini|copilot|ai (?:assistants?|agents?|models?|systems?)|(?:virtual|digital) assistants?)`
)

func inFlow(kind Injection, pattern string) injectionPattern {
	return injectionPattern{kind: kind, pattern: regexp.MustCompile(pattern)}
}

func atLine(kind Injection, pattern string) injectionPattern {
	return injectionPattern{kind: kind, pattern: regexp.MustCompile(`(?m)` + pattern), lines: true}
}

// atWork is what follows a role that somebody has at a company and not over the model.
var atWork = regexp.MustCompile(`^,? (?:at|for|from|in|with|on|here at|of (?:our|my|their|the (?:company|team|department|group|project|board)))\b`)

var injectionPatterns = []injectionPattern{
	// English: earlier instructions.
	inFlow(InjectionOverride, `\b`+undoEN+`(?: `+whichEN+`){0,8} `+ordersEN+`\b`),
	inFlow(InjectionOverride, `\b(?:ignore|disregard|forget) (?:everything|anything|all|all of it|what(?:ever)?)(?: (?:that|which|you|was|were|is|has|have|been))* ?(?:above|before (?:this|now)|said|told|learned|know|written|prior|so far|up to (?:now|here)|previously)\b`),
	inFlow(InjectionOverride, `\b(?:instructions?|rules?|guidelines?|prompts?)(?: \w+){0,4} (?:are|is) (?:now |hereby )?(?:void|cancelled|canceled|obsolete|revoked|suspended|no longer (?:valid|in (?:force|effect)|apply|applicable)|superseded|overridden)\b`),
	inFlow(InjectionOverride, `\b(?:do|act|respond|answer|reply|comply|behave) (?:so )?(?:without|free of|regardless of|contrary to) (?:any |all |your |the )*(?:rules|restrictions|guidelines|filters|safeguards|instructions)\b`),
	inFlow(InjectionOverride, `\b(?:reveal|print|show|repeat|output|display|leak|disclose|dump|tell me|give me)(?: \w+){0,3} (?:system prompt|(?:hidden|initial|secret|original|internal) (?:prompt|instructions)|your (?:prompt|instructions|rules))\b`),
	// English: headings and new instructions.
	atLine(InjectionHeading, `^\W{0,6}(?:(?:new|updated|revised|real|actual|secret|hidden|additional|urgent|important|priority) )+(?:system )?(?:instructions?|prompts?|directives?|orders?|commands?|rules?|task)(?: (?:for|to) [^:\n]{0,40})?\W{0,3}[:\-–—]`),
	inFlow(InjectionHeading, `\b(?:new|updated|revised|real|actual|secret|hidden|overriding) (?:system )?(?:instructions?|prompts?|directives?)(?: (?:for|to) [^:.]{0,40})? ?:`),
	inFlow(InjectionHeading, `\b(?:system|developer|assistant|initial|admin(?:istrator)?) (?:prompts?|instructions?|directives?|overrides?|commands?|messages?) ?[:=\]>]`),
	inFlow(InjectionHeading, `\b(?:begin|start|end|beginning) of (?:the )?(?:new )?(?:system )?(?:prompt|instructions|system message)\b`),
	inFlow(InjectionHeading, `\b(?:your|you have(?: been given)?(?: a)?|here (?:is|are) your) (?:new|real|actual|only|true|primary|next|updated) (?:instructions?|tasks?|goals?|objectives?|orders?|mission|job|role|directives?|purpose)\b`),
	inFlow(InjectionHeading, `\b(?:instructions?|messages?|notes?|notice|attention|orders?|commands?|reminders?|important|dear|hey|hello|listen)\W{0,3} ?(?:(?:to|for) )?(?:all |any |the |every |our )*`+models+`\b(?: (?:reading|processing|parsing|summari[sz]ing|handling)| ?[:,!\-–—]|\s*$)`),
	inFlow(InjectionHeading, `\b(?:if|when|since|as) (?:you|you're|you are|this is (?:read|processed|parsed) by)(?: are)? (?:an? |the )?`+models+`\b`),
	inFlow(InjectionHeading, `\b(?:any |the |every )?(?:ai|llm|language model|chatbot|ai assistant|ai agent)s? (?:reading|processing|parsing|summari[sz]ing|handling) (?:this|the) (?:\w+ )?(?:must|should|shall|has to|is to|will|needs to)\b`),
	inFlow(InjectionHeading, `\bfrom now on,? (?:you (?:are|will|must|shall|should|have)|act|respond|answer|always|ignore|your)\b`),
	inFlow(InjectionHeading, `\byou must (?:now )?(?:ignore|obey|comply|forget|disregard|only (?:follow|obey|respond))\b`),
	// English: roles.
	inFlow(InjectionRole, `\byou(?:'re| are) (?:now|no longer|hereby|actually|really|from now on) (?:acting as |in the role of |playing |running as |operating as )?(?:an? |the |my |our |in )?(?:new |full |super ?|senior )*(?:`+roles+`|system administrator|ai|assistant|chatbot|bot|language model|llm|dan|unrestricted|unfiltered|jailbroken|uncensored|free (?:of|from)|bound by|(?:developer|debug|god|admin|maintenance|sudo|dan|root) mode)\b`),
	inFlow(InjectionRole, `\b(?:act|behave|respond|operate|pretend|pose|roleplay|role-play|function|answer) (?:now )?(?:as(?: if you (?:are|were))?|to be|like|you are|that you are) (?:an? |the |my |our |your )?(?:new |full |super ?|senior |unrestricted |unfiltered )*(?:`+roles+`|ai|dan|jailbroken|unrestricted|language model)\b`),
	inFlow(InjectionRole, `\bassume the (?:role|identity|persona) of\b`),
	inFlow(InjectionRole, `\b(?:i am|i'm|this is|it is|speaking as|writing as|we are) (?:your |the ai'?s? |the (?:assistant|model|system)'s )(?:\w+ )?`+roles+`s?\b`),
	{
		kind: InjectionRole, unless: atWork,
		pattern: regexp.MustCompile(`\b(?:i am|i'm|speaking as|as|this is) the (?:system |real |actual |original |true )*(?:` + roles + `)(?: of (?:this|the) (?:system|model|assistant|ai|bot)|,| speaking| and| i |\.|!|:|$)`),
	},
	inFlow(InjectionRole, `\b(?:enable|enter|activate|switch (?:in)?to|turn on|unlock|engage) (?:the )?(?:developer|debug|god|admin|administrator|root|sudo|dan|jailbreak|unrestricted|maintenance) mode\b`),
	inFlow(InjectionRole, `\byou (?:now )?(?:have|are granted|are given|possess) (?:full |complete |unrestricted |all )*(?:admin|administrator|root|system|developer) (?:access|rights|privileges|permissions)\b`),
	// Chat templates of any language.
	inFlow(InjectionTemplate, `<\|[\w /-]{2,30}\|>|\[/?inst\]|<</?sys>>|</?s>\s*\[|<(?:start|end)_of_turn>|<\s*/?\s*(?:system|assistant|developer|instructions?|system_prompt|system-prompt|sys|tool_call|function_call)\s*>|\[(?:system|assistant|developer|admin)\]|\{\{ ?(?:system|#system)`),
	atLine(InjectionTemplate, `^(?:instruction|instructions|system|assistant|response|human) ?:\s*(?:you |ignore|forget|disregard|from now|new |act |do not |always |never |mark |set |the (?:assistant|user|model)|override|delete|send |reply |respond |vergiss|ignorier|du |sie |ab |tu |vous |oublie|a partir)`),
	atLine(InjectionTemplate, `^\W{0,4}(?:begin|end) (?:system|instructions?|prompt)\W{0,4}$`),
	// German.
	inFlow(InjectionOverride, `\b`+undoDE+`(?: `+whichDE+`){0,8} `+ordersDE+`\b`),
	inFlow(InjectionOverride, `\b(?:alle[nr]?|samtliche[nr]?|die|deine|jede|bisherige[nr]?|vorherige[nr]?|obige[nr]?|vorige[nr]?)(?: `+whichDE+`){0,5} `+ordersDE+`(?: \w+){0,4} (?:sind (?:zu |hiermit |nun |ab sofort |nicht mehr )*(?:ignorieren|vergessen|ungultig|aufgehoben|gultig|hinfallig)|ignorieren|vergessen|missachten|ubergehen|verwerfen|nicht (?:mehr )?(?:beachten|befolgen|gelten)|ausser (?:acht|kraft)|gelten nicht)\b`),
	inFlow(InjectionOverride, `\b(?:befolge|befolgen sie|beachte|beachten sie|folge|folgen sie|halte? dich)(?: \w+){0,5} `+ordersDE+`(?: \w+){0,2} (?:nicht(?: mehr)?|nicht langer)\b`),
	inFlow(InjectionOverride, `\b(?:setze?n?|lass(?:e|en)?)(?: sie)?(?: \w+){0,5} `+ordersDE+`(?: \w+){0,2} ausser (?:kraft|acht)\b`),
	inFlow(InjectionOverride, `\b(?:vergiss|vergessen sie|ignoriere?|ignorieren sie) (?:bitte )?(?:alles|das),? (?:was|bisherige|vorherige|obige|oben|davor|zuvor|bisher)`),
	inFlow(InjectionOverride, `\b(?:zeige?n?|verrate?n?|gib|geben|nenne?n?|wiederhole?n?|offenbare?n?)(?: \w+){0,4} (?:system-?prompts?|systemanweisung(?:en)?|system-anweisung(?:en)?|(?:deine|ihre) (?:internen |geheimen )?(?:anweisungen|instruktionen))\b`),
	inFlow(InjectionHeading, `\b(?:neuer?|neuen?|aktualisierte|geheime|wichtige|eigentliche|zusatzliche) (?:system-?)?(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|vorgaben|direktiven?|auftrag|aufgabe|prompt)(?: (?:fur|an) [^:.]{0,40})? ?:`),
	inFlow(InjectionHeading, `\b(?:system-?(?: )?(?:prompt|anweisung(?:en)?|nachricht|meldung|befehl|instruktion(?:en)?)|entwickleranweisung(?:en)?|entwickler-?modus) ?:`),
	inFlow(InjectionHeading, `\b(?:deine|ihre) (?:neue|eigentliche|wahre|einzige|neuen|echte) (?:aufgaben?|anweisung(?:en)?|rolle|instruktion(?:en)?|ziele?|mission)\b`),
	inFlow(InjectionHeading, `\b(?:hinweis|anweisung|nachricht|achtung|notiz|mitteilung|befehl|auftrag|wichtig)\W{0,3} ?(?:an|fur) (?:die |das |den |alle |jede |jeden |jedes )*(?:ki|k\.i\.|ki-\w+|sprachmodelle?|chatbots?|bots?|assistenzsysteme?|kunstliche intelligenz|llm|ai|modelle?)\b`),
	inFlow(InjectionHeading, `\b(?:wenn|falls|sofern|da) (?:du|sie) (?:eine? |das |die )?(?:ki|ki-\w+|sprachmodell|chatbot|kunstliche intelligenz|llm|ai)\b`),
	inFlow(InjectionHeading, `\bab (?:jetzt|sofort|nun) (?:bist du|sind sie|wirst du|musst du|mussen sie|antworte|antworten sie|befolge|befolgen sie|ignorier|gilt fur dich|handelst du|gelten (?:nur|ausschliesslich))`),
	inFlow(InjectionRole, `\b(?:du bist|sie sind|bist du|sind sie) (?:jetzt|nun|ab (?:jetzt|sofort|nun)|von nun an|ab heute|fortan|nicht (?:mehr|langer)) (?:ein[e]?|der|die|das|mein|als|im)? ?(?:neuer? |uneingeschrankte[rs]? )*(?:`+rolesDE+`|ki|assistent|chatbot|sprachmodell|dan|an (?:regeln|anweisungen)|entwicklermodus|uneingeschrankt)`),
	inFlow(InjectionRole, `\b(?:ich bin|hier (?:spricht|ist|schreibt)|wir sind) (?:dein|ihr|euer|deine|ihre) (?:\w+ )?`+rolesDE+`\b`),
	inFlow(InjectionRole, `\b(?:hier (?:spricht|schreibt)) (?:der|die|das) (?:\w+ )?`+rolesDE+`\b`),
	{kind: InjectionRole, unless: regexp.MustCompile(`^,? (?:bei|von|fur|im|in|der firma|des (?:teams|projekts))\b`), pattern: regexp.MustCompile(`\b(?:ich bin|ich schreibe als|als) (?:der|die|das) ` + rolesDE + `(?: dieses (?:systems|modells|assistenten)|,| und|\.|!|:|$)`)},
	inFlow(InjectionRole, `\b(?:verhalte? dich|verhalten sie sich|agiere?n?(?: sie)?|handle?n?(?: sie)?|antworte?n?(?: sie)?|tu so|tun sie so|gib dich|spiele?n?(?: sie)?),? (?:wie|als|als (?:ob|warst|waren)(?: du| sie)?|die rolle) ?(?:warst du |waren sie |du |sie )?(?:ein[es]?|der|die|das|des|eine[rs]?)? ?`+rolesDE+`\b`),
	inFlow(InjectionRole, `\b(?:aktiviere?n?|wechsle?n?|schalte?n?)(?: sie)?(?: \w+){0,3} (?:entwickler|debug|admin|administrator|root|wartungs)-?modus\b`),
	// French.
	inFlow(InjectionOverride, `\b`+undoFR+`(?:,? ?`+whichFR+`){0,8} ?`+ordersFR+`\b`),
	inFlow(InjectionOverride, `\b(?:oublie|oubliez|ignore|ignorez) (?:tout|tous|ce qui|tout ce)(?: ce)?(?: (?:qui|que|qu'on))?(?: (?:precede|t'a|vous a|a ete|ci-dessus|est|se trouve|avant|tu|vous|savez|sais|dit|ecrit))+`),
	inFlow(InjectionOverride, `\b(?:les|toutes les|vos|tes) `+ordersFR+`(?: \w+){0,3} (?:ne (?:sont|s'appliquent) plus|sont (?:annulees?|nulles|caduques|revoquees?|suspendues?))`),
	inFlow(InjectionOverride, `\b(?:revele|revelez|affiche|affichez|montre|montrez|repete|repetez|divulgue|divulguez)(?:-\w+)?(?: \w+){0,3} (?:prompt systeme|invite systeme|(?:tes|vos) (?:instructions|consignes)|(?:instructions|consignes) (?:systeme|cachees|secretes|internes))\b`),
	inFlow(InjectionHeading, `\b(?:nouvelles?|nouveaux?|vraies?|veritables?) (?:instructions?|consignes?|directives?|ordres?|taches?|mission|prompt)(?: (?:systeme|pour [^:.]{0,40}))? ?:`),
	inFlow(InjectionHeading, `\b(?:prompt|invite|message|instructions?|consignes?|commande|directive) (?:du |de )?(?:systeme|developpeur|administrateur) ?:`),
	inFlow(InjectionHeading, `\b(?:ta|votre|tes|vos) (?:nouvelles?|nouveau|vraies?|veritables?|seules?|unique) (?:instructions?|consignes?|taches?|mission|role|objectifs?|directives?)\b`),
	inFlow(InjectionHeading, `\b(?:note|instructions?|consignes?|message|avis|attention|ordre|important)\W{0,3} ?(?:a|pour|au|aux|destinee?s? a) ?(?:l'|la |le |les |toute |tout |cette )?(?:ia|i\.a\.|intelligences? artificielles?|modeles?(?: de langage)?|chatbots?|llm|agents? (?:ia|conversationnels?)|assistants? (?:ia|virtuels?))\b`),
	inFlow(InjectionHeading, `\bsi (?:tu es|vous etes) (?:une? |l'|le )?(?:ia|intelligence artificielle|modele de langage|chatbot|llm|assistant (?:ia|virtuel))\b`),
	inFlow(InjectionHeading, `\b(?:a partir de maintenant|desormais|dorenavant|des maintenant),? (?:tu (?:es|dois|seras|reponds|ignores|n')|vous (?:etes|devez|serez|repondez|ignorez|n')|ignore|reponds|repondez|oublie)`),
	inFlow(InjectionRole, `\b(?:tu es|vous etes|tu n'es|vous n'etes) (?:desormais|maintenant|a present|dorenavant|plus)(?:,? (?:un|une|le|la|mon|en|lie par))? ?(?:l')?(?:nouvel(?:le)? )?(?:`+rolesFR+`|ia|assistant|chatbot|modele de langage|dan|mode (?:developpeur|admin)|lie|soumis|sans (?:restriction|limite))`),
	inFlow(InjectionRole, `\b(?:je suis|c'est|ici|nous sommes) (?:ton|votre|vos|tes) (?:\w+ )?`+rolesFR+`s?\b`),
	{kind: InjectionRole, unless: regexp.MustCompile(`^,? (?:chez|de (?:la societe|l'equipe|notre|mon)|pour|dans|a (?:la|l'))`), pattern: regexp.MustCompile(`\b(?:je suis|en tant que|ici) (?:le |la |l')` + rolesFR + `(?: de ce (?:systeme|modele)|,| et|\.|!|:|$)`)},
	inFlow(InjectionRole, `\b(?:agis|agissez|comporte-toi|comportez-vous|reponds|repondez|fais|faites)(?: maintenant)? (?:comme(?: si (?:tu etais|vous etiez))?|en tant qu[e']|en) ?(?:un |une |le |la |l')?`+rolesFR+`\b`),
	inFlow(InjectionRole, `\b(?:active|activez|passe|passez|entre|entrez)(?: \w+){0,3} mode (?:developpeur|admin(?:istrateur)?|debug|maintenance|root)\b`),
}

// imperatives are the words with which orders in HTML comments begin.
var imperatives = []string{
	`ignor\w*`, `disregard`, `forget`, `override`, `bypass`, `instructions?`, `directives?`, `system(?:[ -]?prompt)?`, `prompt`, `assistant`, `developer`,
	`admin(?:istrator)?`, `a\.?i\.?`, `llm`, `language model`, `chatbot`, `gpt`, `you are`, `you must`, `as an ai`, `new (?:instructions?|task|rules?)`, `do not tell`,
	`vergiss\w*`, `vergessen sie`, `missacht\w*`, `anweisung\w*`, `instruktion\w*`, `entwickler`, `ki`, `sprachmodell`, `du bist`, `du musst`, `sie sind (?:jetzt|nun)`, `neue anweisung\w*`,
	`oublie\w*`, `consignes?`, `systeme`, `invite`, `developpeur`, `administrateur`, `ia`, `modele de langage`, `tu es`, `tu dois`, `vous etes`, `vous devez`, `nouvelles? (?:instructions?|consignes?)`,
}

// secrets are what nobody writes where nobody sees it, unless for a model.
var secrets = []string{
	`disregard`, `forget (?:all|everything|what|the|your|any)`, `override`, `bypass`, `instructions?`, `you are (?:now|an?|the)`, `you must`, `as an ai`, `\bai\b[ :,]`, `language model`, `llm`, `chatbot`,
	`system ?(?:prompt|message|:)`, `assistant ?:`, `ignore (?:all|any|previous|prior|the|every|your|these|what)`, `do not (?:tell|mention|reveal)`, `developer mode`, `administrator`,
	`vergiss\w*`, `ignorier\w*`, `missacht\w*`, `anweisung\w*`, `instruktion\w*`, `sprachmodell`, `du (?:bist|musst|sollst)`, `sie (?:sind jetzt|mussen)`, `\bki\b[ :,]`, `entwickler`,
	`oublie[zr]?`, `ignore[zr]`, `consignes?`, `modele de langage`, `tu (?:es|dois)`, `vous (?:etes maintenant|devez)`, `\bia\b[ :,]`, `administrateur`, `developpeur`,
}

var (
	// commentWords is how an HTML comment begins that speaks to a model.
	commentWords = regexp.MustCompile(`^\W{0,6}(?:(?:to|for|an|fur|pour|note|hinweis|attention|achtung|important|wichtig|hey|dear|please|bitte|the|die|das|l')[\s:,!]*){0,3}(?:` + strings.Join(imperatives, "|") + `)\b`)
	// hiddenWords are words that have no business in invisible text.
	hiddenWords = regexp.MustCompile(`\b(?:` + strings.Join(secrets, "|") + `)`)
)
