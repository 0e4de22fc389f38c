import type { Difference } from '../difference.ts';

/** Differences in admission policies and their messages. */
export const policyDifferences: readonly Difference[] = [
  {
    id: 'status-of-a-policy',
    theirs: 'leaves the status of a policy to a controller, which an API server alone does not have',
    ours: 'returns the type-checking warnings with the response',
    because: 'decision 24: types are available when a policy is written',
    explains: ({ path }, { request }) =>
      /validatingadmissionpolicies/.test(request.path) && /(^|\.)status(\.|$)/.test(path),
  },
  {
    id: 'wording-of-syntax-errors',
    theirs: 'reports syntax errors of an expression in the wording of its parser',
    ours: 'points to the same position, with its own wording',
    because: 'decision 24: another parser is used',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      /Syntax error/.test(String(theirs)) &&
      places(theirs) === places(ours),
  },
];

function places(value: unknown): string {
  return [...String(value).matchAll(/ERROR: <input>:(\d+:\d+)/g)].map(([, place]) => place).join();
}
