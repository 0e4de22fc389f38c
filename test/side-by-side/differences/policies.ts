import type { Difference } from '../difference.ts';

/** In what is said of policies and by them. */
export const policyDifferences: readonly Difference[] = [
  {
    id: 'status-of-a-policy',
    theirs: 'leaves the status of a policy to a controller, which an API server alone has not',
    ours: 'tells with the answer what the types of the kinds say against the expressions',
    because: 'decision 24: types are at hand when a policy is written',
    explains: ({ path }, { request }) =>
      /validatingadmissionpolicies/.test(request.path) && /(^|\.)status(\.|$)/.test(path),
  },
  {
    id: 'wording-of-syntax-errors',
    theirs: 'words what is wrong with the syntax of an expression as its parser does',
    ours: 'points to the same place, in words of its own',
    because: 'decision 24: the parser is another one',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      /Syntax error/.test(String(theirs)) &&
      places(theirs) === places(ours),
  },
];

function places(value: unknown): string {
  return [...String(value).matchAll(/ERROR: <input>:(\d+:\d+)/g)].map(([, place]) => place).join();
}
