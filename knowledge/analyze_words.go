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
