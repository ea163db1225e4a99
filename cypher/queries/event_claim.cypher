// event_claim: takes mailbox events in, or gives what they gave before
// mode: write
// params: ws string, events list of {key, at: its place}, claim string, at datetime
// returns: place, first, person, organization, project, observations
UNWIND $events AS event
MERGE (e:MailEvent {workspaceId: $ws, key: event.key})
ON CREATE SET e.name = 'mail event', e.claim = $claim, e.at = $at
RETURN event.at AS place, e.claim = $claim AS first, e.personId AS person, e.organizationId AS organization, e.projectId AS project, e.observationIds AS observations
