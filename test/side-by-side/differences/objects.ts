import {
  acceptOf,
  causesOf,
  type Difference,
  inNextVersion,
  messageOf,
  sentOf,
  withStatusPath,
} from '../difference.ts';

/** What is wrong with an owner, in the words of this version: without an index, and an empty value is invalid. */
const ownerText =
  /metadata\.ownerReferences(\.\w+: Invalid value: "[^"]*": (version )?must not be empty|: Invalid value: \{.*Kind=Event)/;

/** In what objects and lists hold and in what validation says of them. */
export const objectDifferences: readonly Difference[] = [
  {
    id: 'texts-of-1.37',
    theirs:
      'says `characters` of a length in bytes, puts two spaces before `or` in examples of names, and gives owners without their index',
    ours: 'has the texts of the next version',
    because: 'META-02, META-05 to META-07, OWNER-01, OWNER-03',
    explains: ({ path, theirs, ours }, exchange) =>
      /^body\.(message|details\.causes\[\d+\])/.test(path) &&
      (inNextVersion(String(theirs)) === ours || ownerText.test(messageOf(exchange.theirs))),
  },
  {
    id: 'order-in-printed-owners',
    theirs: 'prints owners in a message with `controller` last',
    ours: 'prints their members sorted',
    because: 'ERR-24 asks for JSON',
    explains: ({ theirs, ours }) =>
      /Only one reference can have Controller/.test(String(theirs)) && letters(theirs) === letters(ours),
  },
  {
    id: 'path-of-a-status-field',
    theirs: 'names a field of the status without `status.` in the sentence about it',
    ours: 'names it by its whole path',
    because: 'META-21',
    explains: ({ path, theirs, ours }, { request }) =>
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      /\/status(\?|$)/.test(request.path) &&
      withStatusPath(String(theirs)) === ours,
  },
  {
    id: 'types-before-what-is-missing',
    theirs: 'tells of values of the wrong type and of missing ones together',
    ours: 'tells of the types first in its own kinds, and of what is missing when they fit',
    because: 'what is missing may be filled in by the server, which reads the other fields for it (completions §3)',
    explains: ({ path }, { request, theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      /virtualclusterinstances/.test(request.path) &&
      causesOf(theirs)
        .filter((cause) => !/"FieldValueRequired"/.test(cause))
        .join() === causesOf(ours).join(),
  },
  {
    id: 'duplicate-owners-in-a-patch',
    theirs: 'adds `after mutating admission happens` to the warning of duplicate owners when they come by a patch',
    ours: 'has one text for all',
    because: 'CREATE-27',
    explains: ({ path, theirs, ours }) =>
      path.startsWith('headers.warning') && String(theirs).replace(' after mutating admission happens', '') === ours,
  },
  {
    id: 'version-in-a-dry-run',
    theirs: 'leaves a resourceVersion that the client sent in the answer to a dry run of a create',
    ours: 'leaves it out',
    because: 'CREATE-24',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.resourceVersion' &&
      ours === undefined &&
      request.method === 'POST' &&
      /dryRun=All/.test(request.path),
  },
  {
    id: 'tracking-survives',
    theirs:
      'tracks no field of a new object whose status is of the wrong type or whose managedFields are of another version',
    ours: 'drops those and tracks the rest',
    because: 'CREATE-04, CREATE-06, CREATE-07',
    explains: ({ path, theirs, ours }, { request }) =>
      path === 'body.metadata.managedFields' &&
      theirs === undefined &&
      Array.isArray(ours) &&
      request.method === 'POST' &&
      /"status":("x"|\[\]|5)|"managedFields":\[/.test(sentOf(request)),
  },
  {
    id: 'empty-continue',
    theirs: 'writes `continue: ""` in the last page of a list of custom resources',
    ours: 'leaves it out',
    because: 'LIST-15 allows both',
    explains: ({ path, theirs, ours }) => path === 'body.metadata.continue' && theirs === '' && ours === undefined,
  },
  {
    id: 'continue-to-nothing',
    theirs: 'gives a continue token for a page of a selection that is full, though nothing comes after it',
    ours: 'gives one where something comes',
    because: 'LIST-24 allows both',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.continue' && ours === undefined && /limit=3&labelSelector/.test(request.path),
  },
  {
    id: 'limit-of-a-later-page',
    theirs: 'ignores the limit of a later page that is asked for with `resourceVersion=0`',
    ours: 'keeps to it',
    because: 'LIST-05 allows both; LIST-15',
    explains: (_field, { request, ours }) =>
      /limit=4&resourceVersion=0&continue=/.test(request.path) && ours.status === 200,
  },
  {
    id: 'empty-metadata-list',
    theirs: 'writes `items: null` in a PartialObjectMetadataList of nothing',
    ours: 'writes `items: []`',
    because: 'LIST-01, TABLE-11',
    explains: ({ path, theirs, ours }) =>
      path === 'body.items' && theirs === null && Array.isArray(ours) && ours.length === 0,
  },
  {
    id: 'continue-of-a-watch',
    theirs: 'refuses `continue` for a watch without a version, for which it sets resourceVersionMatch itself',
    ours: 'ignores it, and refuses it where the client sets resourceVersionMatch',
    because: 'WATCH-13',
    explains: (_field, { request, theirs, ours }) =>
      /watch=1.*&continue=x$/.test(request.path) && theirs.status === 422 && ours.status === 200,
  },
  {
    id: 'rows-without-objects',
    theirs: 'writes `object: null` in rows with `includeObject=None`',
    ours: 'leaves it out',
    because: 'TABLE-07',
    explains: ({ path, theirs, ours }) => /rows\[\d+\]\.object$/.test(path) && theirs === null && ours === undefined,
  },
  {
    id: 'later-tables-of-a-watch',
    theirs: 'writes `columnDefinitions: null` from the second event of a watch on',
    ours: 'writes an empty list',
    because: 'WATCH-30 allows both',
    explains: ({ path, theirs, ours }) =>
      /^body\[\d+\]\.object\.columnDefinitions$/.test(path) &&
      theirs === null &&
      Array.isArray(ours) &&
      ours.length === 0,
  },
  {
    id: 'own-descriptions',
    theirs: 'describes the columns for name and age in its own words',
    ours: 'describes them in others',
    because: 'TABLE-02 asks for a text, not for which',
    explains: ({ path }) => /columnDefinitions\[[01]\]\.description$/.test(path),
  },
  {
    id: 'order-of-metadata',
    theirs: 'writes the metadata of rows and partial objects in the order of its Go structs',
    ours: 'writes it sorted, as in the object itself',
    because: 'DEC-25; the order of members means nothing in JSON',
    explains: ({ path }, { request }) =>
      / \(order\)$/.test(path) &&
      /(^|\.)metadata(\.managedFields\[\d+\])? \(order\)$/.test(path) &&
      /as=(Table|PartialObjectMetadata)/.test(acceptOf(request)),
  },
];

function letters(value: unknown): string {
  return [...String(value)].sort().join('');
}
