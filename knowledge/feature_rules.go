package knowledge

// FeatureSwitches is what somebody has switched; a name that is missing is not decided.
type FeatureSwitches map[FeatureName]bool

// Deployment is what the features of all workspaces depend on.
type Deployment struct {
	// Switches are those of the deployment: what is off is off everywhere, what is on
	// is the default of a workspace.
	Switches FeatureSwitches
	// ModelConfigured tells whether a language model is to be had.
	ModelConfigured bool
}

// featureRule is a feature's default and what it needs (SPEC Q1).
type featureRule struct {
	name  FeatureName
	on    bool
	needs []FeatureName
}

// featureRules are in the order in which features are shown.
func featureRules() []featureRule {
	return []featureRule{
		{FeatureGraph, true, nil},
		{FeatureCodeGraph, true, nil},
		{FeatureAI, true, nil},
		{FeatureAIAgent, false, []FeatureName{FeatureAI}},
		{FeatureAIKnowledge, true, nil},
		{FeatureGraphRetrieval, true, []FeatureName{FeatureAIKnowledge}},
		{FeatureAutoLink, false, []FeatureName{FeatureAI, FeatureAIKnowledge}},
	}
}

// Valid tells whether the name is that of a feature.
func (n FeatureName) Valid() bool {
	for _, r := range featureRules() {
		if r.name == n {
			return true
		}
	}
	return false
}

// EffectiveFeatures are all features with their state in a workspace (SPEC Q1, Q2):
// the workspace's switch, else the deployment's, else the default; then off where the
// deployment switched it off, where ai has no model, and where a feature that it needs is off.
// Switching a feature off keeps the stored switches of those that need it.
func EffectiveFeatures(d Deployment, workspace FeatureSwitches) []Feature {
	rules := featureRules()
	features := make([]Feature, 0, len(rules))
	enabled := make(map[FeatureName]bool, len(rules))
	// Every feature stands behind those that it needs, so one pass is stable.
	for _, r := range rules {
		f := Feature{Name: r.name, Enabled: true}
		if reason := offReason(r, d, workspace, enabled); reason != "" {
			f.Enabled, f.Reason = false, &reason
		}
		enabled[r.name] = f.Enabled
		features = append(features, f)
	}
	return features
}

func offReason(r featureRule, d Deployment, workspace FeatureSwitches, enabled map[FeatureName]bool) string {
	deployed, decided := d.Switches[r.name]
	own, switched := workspace[r.name]
	switch {
	case decided && !deployed:
		return "switched off for this deployment"
	case switched && !own:
		return "switched off in this workspace"
	case !switched && !decided && !r.on:
		return "not switched on"
	case r.name == FeatureAI && !d.ModelConfigured:
		return "no language model is configured"
	}
	for _, needed := range r.needs {
		if !enabled[needed] {
			return "needs " + string(needed)
		}
	}
	return ""
}

// FeatureOn tells whether a feature is on in effect.
func FeatureOn(features []Feature, name FeatureName) bool {
	for _, f := range features {
		if f.Name == name {
			return f.Enabled
		}
	}
	return false
}
