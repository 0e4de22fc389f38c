import { causesOf, type Difference } from '../difference.ts';

/** In what is said of definitions, and of objects that they define. */
export const customDifferences: readonly Difference[] = [
  {
    id: 'ownership-across-versions',
    theirs: 'forgets who owns which field when an object is written in another version than before',
    ours: 'keeps it',
    because: 'SSA-29: only who asks for it starts anew; without a conversion a field is the same in all versions',
    explains: ({ path, theirs, ours }, { request }) =>
      /(^|\.)metadata\.managedFields$/.test(path) &&
      /\/boats/.test(request.path) &&
      theirs === undefined &&
      Array.isArray(ours),
  },
  {
    id: 'order-of-unknown-fields-in-a-definition',
    theirs: 'names unknown members from the inside out',
    ours: 'names them sorted, those inside of schemas last',
    because: 'DEC-11 has an order for custom resources only',
    explains: ({ path, theirs, ours }, exchange) =>
      /unknown field/.test(String(theirs)) &&
      (path === 'body.message' ? words(theirs) === words(ours) : path.startsWith('headers.warning')) &&
      words(exchange.theirs.headers.warning ?? '') === words(exchange.ours.headers.warning ?? ''),
  },
  {
    id: 'order-of-faults-in-a-definition',
    theirs: 'tells of what is wrong in the members of a schema in any order',
    ours: 'goes by the order of the members',
    because: 'maps have no order in Go',
    explains: ({ path }, { theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      causesOf(theirs).length > 1 &&
      causesOf(theirs).sort().join() === causesOf(ours).sort().join(),
  },
];

function words(value: unknown): string {
  return [...String(value).matchAll(/unknown field \\*"([^"\\]+)/g)]
    .map(([, field]) => field)
    .sort()
    .join();
}
