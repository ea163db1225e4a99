package cypher

import _ "embed"

//go:embed queries/server_version.cypher
var serverVersion statement
