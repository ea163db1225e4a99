package knowledge

import "time"

// Limits of every read and write (SPEC U, A29, B20).
const (
	MaxIDLength            = 512
	MaxTextLength          = 100_000
	MaxNameLength          = 1_000
	MaxTags                = 64
	MaxTagLength           = 100
	MaxPropertiesBytes     = 64 << 10
	MaxPropertiesDepth     = 8
	MaxPage                = 100
	DefaultPage            = 50
	MaxSearchResults       = 50
	MaxHops                = 3
	MaxNeighbors           = 200
	MaxEdgesPerLevel       = 1_000
	MaxEdgeTypeFilter      = 20
	MaxSubgraphEntities    = 100
	MaxSubgraphEdges       = 1_000
	MaxPathHops            = 6
	MaxLoadItems           = 1_000
	MaxEntityTypes         = 200
	MaxWorkspaceEdgeTypes  = 200
	MaxDatabaseEdgeTypes   = 4_096
	MaxEdgeTypeKeyLength   = 64
	MaxSlugLength          = 100
	MaxFingerprintLength   = 200
	IdempotencyKeyLifetime = 24 * time.Hour
)
