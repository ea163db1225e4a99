package mcp

// tools is the table of all tools, in the order in which they are listed.
func tools() []*tool {
	reads := hints{idempotent: true}
	adds := hints{writes: true, idempotent: true}
	changes := hints{writes: true, destroys: true, idempotent: true}
	asks := hints{open: true}
	return []*tool{
		define("get_context", "Context of a prompt",
			"What the graph knows of the things that a prompt names or is about, as one short text to work from. Call it first.", reads, getContext),
		define("recall_knowledge", "Recall knowledge",
			"Find what was learned before that answers a question: facts, decisions, events, preferences, goals, relationships and open actions, best first. "+
				"Entries marked stale have been replaced; those with a caveat are disputed.", reads, recallKnowledge),
		define("remember", "Remember",
			"Keep what was said or learned in this turn, as a text or as the turns of a talk. It is kept once however often it is said; persons and things that it is about are found or made.", adds, remember),
		define("save_knowledge", "Save knowledge",
			"Keep one piece of knowledge, titled and typed. The answer names what was known before that contradicts it or says nearly the same.", adds, saveKnowledge),
		define("ask_knowledge", "Ask",
			"Have a question answered by a language model from what is known, with its sources cited. Needs a configured model.", asks, askKnowledge),

		define("kg_search", "Search entities",
			"Find entities by words in their names, descriptions and observations, best first.", reads, search),
		define("get_entity", "Read an entity",
			"Everything about one entity: description, properties, observations newest first, connections surest first. What does not fit follows with the cursor.", reads, entity),
		define("kg_get_neighbors", "Neighbours of an entity",
			"What an entity is connected to, nearest first, up to three steps away. as_of shows what was true then.", reads, neighbors),
		define("kg_get_subgraph", "Connections between entities",
			"The given entities and every connection between them. as_of shows what was true then.", reads, subgraph),
		define("kg_find_path", "Path between two entities",
			"The shortest way from one entity to another.", reads, findPath),
		define("search_code", "Search code",
			"Find files and symbols of indexed source by words, best first.", reads, searchCode),
		define("code_neighbors", "Code of an entity",
			"The source files near what an entity is called as in the code: what imports, extends or implements it, and what it rests on.", reads, codeNeighbors),

		define("kg_create_entity", "Create an entity",
			"Make an entity, or find the one of that name and add to it. What a person wrote is never overwritten.", adds, createEntity),
		define("kg_update_entity", "Update an entity",
			"Change the description, properties or confidence of an entity. A description that a person wrote is kept; the answer says so.", changes, updateEntity),
		define("kg_delete_entity", "Delete an entity",
			"Remove an entity with its connections, their history and its observations, for good.", changes, deleteEntity),
		define("kg_create_edge", "Connect two entities",
			"Say that one entity is connected to another, since when and until when. The equal connection is found rather than made again.", adds, createEdge),
		define("kg_invalidate_edge", "End a connection",
			"Say that a connection stopped being true. It stays as history; use this, not deletion, when something changed.", changes, invalidateEdge),
		define("kg_delete_edge", "Delete a connection",
			"Remove a connection and its history, for good: for what was wrong from the start.", changes, deleteEdge),
		define("kg_add_observation", "Add an observation",
			"Add a dated remark to an entity. The same remark is kept once.", adds, addObservation),
	}
}
