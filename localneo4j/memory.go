package localneo4j

// The heap that Neo4j starts with and the bounds of what it may grow to, in MiB.
// 256 carries the tests, 512 a graph of some 100,000 edges; more than 2,048
// does not help a single user.
const (
	initialHeapMiB = 128
	minHeapMiB     = 256
	modestHeapMiB  = 512
	maxHeapMiB     = 2048
)

// heapFor returns the largest heap for a machine with this memory, in MiB: an
// eighth of a small machine, a sixteenth of a big one. 0, for not known, gives
// the modest one.
func heapFor(memoryMiB int) int {
	if memoryMiB == 0 {
		return modestHeapMiB
	}
	small := max(minHeapMiB, min(modestHeapMiB, memoryMiB/8))
	return max(small, min(maxHeapMiB, memoryMiB/16))
}
