// Package mcp is the front door for agents: the tools and resources of the Model Context
// Protocol, each a thin translation to one use case of package service.
//
// A session has a profile: its workspace, its mode and channel, whether it may only read,
// and the contact to whose knowledge it is bound. The profile decides which tools are
// listed, what a call may do, and what it may see; arguments cannot change it.
//
// Every answer is structured, and given as text too for clients that read only that. It
// stays under a number of tokens: lists are cut into pages, with counts and a cursor that
// continues them, and long texts are cut with an ellipsis. An error is an answer with
// isError and {code, field, message}, the code being one of the contract's list.
package mcp
