package knowledge

import "strings"

// stopWords are words that every text has, English and German, and the words that
// make a question of a sentence. It is not changed after it was made.
var stopWords = wordSet(`
	a an the this that these those some any each every
	i you he she it we they me him her us them my your his its our their mine yours hers ours theirs
	myself yourself himself herself itself ourselves themselves
	am is are was were be been being do does did doing done have has had having
	will would shall should can could may might must ought
	and or but nor so if then than as of at by for with about into onto from to in on off over under
	up out not no yes there here also too very just
	what who whom whose which when where why how
	aren't isn't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't couldn't
	what's who's where's when's how's it's that's there's i'm i've i'd i'll you're we're they're

	der die das den dem des ein eine einen einem einer eines kein keine
	ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer
	bin bist ist sind seid war waren gewesen hat haben habe hatte hatten wird werden wurde wurden
	kann können muss müssen soll sollen und oder aber nicht auch noch nur schon wenn als wie
	mit von vom zu zum zur bei beim nach aus auf für um über unter in im an am
	was wer wen wem wessen welche welcher welches wann wo warum wieso weshalb woher wohin wozu
`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[foldMarks(w)] = true
	}
	return set
}

// commonWords are words of every day that are names too; alone they name nothing.
// It is not changed after it was made.
var commonWords = wordSet(`
	able account action add age air amber art ash back bank base basic bay bear bell best big bill bird bit black
	block blue board body book bottom box boy branch bright brook brown build bus business buy call car card care
	case cash change chance check child city class clay clear client close cloud club code cold color come company
	contact core cost country course cover crystal current customer dale daily data date dawn day deal dean decision
	default design dev do doc document dog done door down draft drew drive early east easy edge end entity entry eve
	event every example exchange express eye face fact faith family far fast feature file fine fire first fish flag
	flow focus food form free friend full fun function game general get girl give glory go goal gold good grace grant
	gray great green group grow guy hand happy hard harmony head health heart heather help high holly home honor hope
	host hot hour house idea image index info internal iris issue item ivy jack job joy june key kind king kitchen lab
	lake lane large last late law lead leave left letter level life light like lily line link list little live load
	local log long look love low lucky mail main make man manager map march margin mark market mason master match may
	meeting member memory men message meta mind miss mobile model money month moon more morning most mother move
	music name nature need new news next nick night no noon north note notion now number office old olive once one
	online only open orange order other owner page paper park part party past path pay peace pearl people person
	phone pilot place plan play point poppy post power present price process product profile program project public
	quality question queue quick rain ray react ready real reason record red report request rest result rich right
	ring river road rob robin rock room root rose ruby run rust safe same sandy say school sea search season second
	section see self send server service set she ship shop short show side sign simple site sky small snow sol some
	song south space spring stack star start state status step stone stop store story stream street strong
	student style sue summer sun sunny support sure system table take target task team tell term test text thing
	think time today together token tool top touch town track trade train travel tree trip true turn type
	unit update use user value version very victor video view violet visit vote wade walk wall want ward water way
	web week west white wide will win winter woman wood word work world write year yes young zone
`)
