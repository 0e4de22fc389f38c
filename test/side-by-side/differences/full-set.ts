import type { Difference } from '../difference.ts';

/** Differences in the kinds that only virtual clusters with the full set of kinds serve. */
export const fullSetDifferences: readonly Difference[] = [
  {
    id: 'descriptions-of-columns',
    theirs: 'takes the descriptions of Table columns from its Go types',
    ours: 'has its own descriptions',
    because: 'decision 49: descriptions are not copied',
    explains: ({ path }) => /^body\.columnDefinitions\[\d+\]\.description$/.test(path),
  },
  {
    id: 'protected-attributes-classes',
    theirs: 'adds a finalizer to volume attributes classes, which a controller removes',
    ours: 'adds none',
    because: 'decision 49: there are no such controllers, so the class could never be deleted',
    explains: ({ path }, { request }) =>
      request.path.includes('/volumeattributesclasses') && path.endsWith('metadata.finalizers'),
  },
];
