// Package llm speaks to models.
//
// It turns text into vectors: with a small model that runs in this process (Local),
// or with a server that speaks OpenAI's protocol (OpenAI). Both keep the order of the
// texts and give vectors of unit length, so that cosine similarity is the dot product.
// A text in which there is nothing to embed has a nil vector, never one of zeros.
//
// And it asks language models behind such a server (Chat). What they answer is taken
// for hostile: it is decoded by a parser that forgives mistakes of form, and is never
// an empty success. What an answer says is checked by package knowledge.
package llm
