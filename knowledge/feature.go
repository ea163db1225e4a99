package knowledge

// FeatureName is a switch of a workspace.
type FeatureName string

// Features (SPEC Q1).
const (
	FeatureGraph          FeatureName = "graph"
	FeatureCodeGraph      FeatureName = "code_graph"
	FeatureAI             FeatureName = "ai"
	FeatureAIAgent        FeatureName = "ai_agent"
	FeatureAIKnowledge    FeatureName = "ai_knowledge"
	FeatureGraphRetrieval FeatureName = "ai_knowledge_graph_retrieval"
	FeatureAutoLink       FeatureName = "ai_knowledge_auto_link"
)

// Feature is a switch and whether it is on in effect.
type Feature struct {
	Name    FeatureName
	Enabled bool
	Reason  *string // why it is off, where it is
}
