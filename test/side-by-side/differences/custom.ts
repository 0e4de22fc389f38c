import { causesOf, type Difference } from '../difference.ts';

/** Differences for definitions and for custom objects. */
export const customDifferences: readonly Difference[] = [
  {
    id: 'ownership-across-versions',
    theirs: 'drops field ownership when an object is written in another version than before',
    ours: 'keeps it',
    because: 'SSA-29: ownership is reset only on request; without a conversion a field is the same in all versions',
    explains: ({ path, theirs, ours }, { request }) =>
      /(^|\.)metadata\.managedFields$/.test(path) &&
      /\/boats/.test(request.path) &&
      theirs === undefined &&
      Array.isArray(ours),
  },
  {
    id: 'order-of-faults-in-a-definition',
    theirs: 'reports errors in the members of a schema in random order',
    ours: 'reports them in the order of the members',
    because: 'maps have no order in Go',
    explains: ({ path }, { theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      causesOf(theirs).length > 1 &&
      causesOf(theirs).sort().join() === causesOf(ours).sort().join(),
  },
];
