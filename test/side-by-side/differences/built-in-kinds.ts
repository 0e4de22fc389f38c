import { type Difference, messageOf, typeOf } from '../difference.ts';

/** Differences in patches of built-in Kubernetes kinds. */
export const builtInDifferences: readonly Difference[] = [
  {
    id: 'faults-of-a-strategic-merge',
    theirs: 'answers 500 without a reason to a strategic merge patch that cannot be merged',
    ours: 'answers 422 with the same message',
    because: 'completions §2: it is a client error',
    explains: ({ path }, { request, theirs, ours }) =>
      typeOf(request) === 'application/strategic-merge-patch+json' &&
      theirs.status === 500 &&
      ours.status === 422 &&
      messageOf(theirs) === messageOf(ours) &&
      /^(status|body\.(code|reason|details))/.test(path),
  },
];
