// server_version: what the database server is
// mode: read
// params: none
// returns: version, edition
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version, edition
