import overview from '../operations/1-overview.graphql?raw';
import workspace from '../operations/2-workspace.graphql?raw';
import entities from '../operations/3-entities.graphql?raw';
import edges from '../operations/4-edges.graphql?raw';
import asOf from '../operations/5-as-of.graphql?raw';
import entry from '../operations/6-entry.graphql?raw';
import recall from '../operations/7-recall.graphql?raw';

const json = (value) => JSON.stringify(value, null, 2);

/** The tabs a first visit opens with; later visits find the tabs as they were left. */
export const tour = [
  { query: overview },
  { query: workspace },
  { query: entities },
  { query: edges },
  { query: asOf, variables: json({ day: '2024-06-01T00:00:00Z' }) },
  { query: entry },
  {
    query: recall,
    variables: json({
      question: 'where are sessions stored, and why?',
      scope: { contact: { name: 'Ada Lovelace' } },
    }),
  },
];

/** What a new tab starts with. */
export const blank = `# A new operation. Ctrl-Space completes, Ctrl-Enter runs.

query {
  workspace(key: "default") {
    key
  }
}
`;
