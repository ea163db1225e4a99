// Package llm turns text into vectors: with a small model that runs in this
// process (Local), or with a server that speaks OpenAI's protocol (OpenAI).
// Both keep the order of the texts and give vectors of unit length, so that
// cosine similarity is the dot product. A text in which there is nothing to
// embed has a nil vector, never one of zeros.
package llm
