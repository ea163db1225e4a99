// event_claim: takes a mailbox event in, or gives what it gave before
// mode: write
// params: ws string, key string, claim string, at datetime
// returns: first, person, organization, project, observations
MERGE (e:MailEvent {workspaceId: $ws, key: $key})
ON CREATE SET e.name = 'mail event', e.claim = $claim, e.at = $at
RETURN e.claim = $claim AS first, e.personId AS person, e.organizationId AS organization, e.projectId AS project, e.observationIds AS observations
