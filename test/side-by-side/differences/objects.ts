import {
  acceptOf,
  causesOf,
  type Difference,
  inNextVersion,
  messageOf,
  sentOf,
  withStatusPath,
} from '../difference.ts';

/**
 * Matches the errors of an owner reference in the wording of this kube-apiserver version: they contain no index, and an
 * empty value is invalid.
 */
const ownerText =
  /metadata\.ownerReferences(\.\w+: Invalid value: "[^"]*": (version )?must not be empty|: Invalid value: \{.*Kind=Event)/;

/** Differences in the contents of objects and lists, and in validation messages. */
export const objectDifferences: readonly Difference[] = [
  {
    id: 'texts-of-1.37',
    theirs:
      'says `characters` for a length in bytes, puts two spaces before `or` in examples of names, and reports owners without their index',
    ours: 'has the texts of the next version',
    because: 'META-02, META-05 to META-07, OWNER-01, OWNER-03',
    explains: ({ path, theirs, ours }, exchange) =>
      /^body\.(message|details\.causes\[\d+\])/.test(path) &&
      (inNextVersion(String(theirs)) === ours || ownerText.test(messageOf(exchange.theirs))),
  },
  {
    id: 'status-of-new-instances',
    theirs: 'creates a custom resource without a status',
    ours: 'creates an instance with the phase `Pending` and unknown conditions, so that tools wait until it is ready',
    because: 'completions §3',
    explains: ({ path }, { request, ours }) =>
      /^body\.status(\.|$)/.test(path) &&
      /\/virtualclusterinstances\b.*dryRun=All/.test(request.path) &&
      ours.status === 201,
  },
  {
    id: 'order-in-printed-owners',
    theirs: 'prints owners in a message with `controller` last',
    ours: 'prints their members sorted',
    because: 'ERR-24 requires JSON',
    explains: ({ theirs, ours }) =>
      /Only one reference can have Controller/.test(String(theirs)) && letters(theirs) === letters(ours),
  },
  {
    id: 'path-of-a-status-field',
    theirs: 'names a field of the status without `status.` in the message',
    ours: 'names it by its full path',
    because: 'META-21',
    explains: ({ path, theirs, ours }, { request }) =>
      /^body\.(message|details\.causes\[\d+\]\.message)$/.test(path) &&
      /\/status(\?|$)/.test(request.path) &&
      withStatusPath(String(theirs)) === ours,
  },
  {
    id: 'types-before-what-is-missing',
    theirs: 'reports values of the wrong type together with missing ones',
    ours: 'reports type errors first for its own kinds, and missing values once the types are correct',
    because: 'the server may default missing values, for which it reads the other fields (completions §3)',
    explains: ({ path }, { request, theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      /virtualclusterinstances/.test(request.path) &&
      causesOf(theirs)
        .filter((cause) => !/"FieldValueRequired"/.test(cause))
        .join() === causesOf(ours).join(),
  },
  {
    id: 'duplicate-owners-in-a-patch',
    theirs: 'adds `after mutating admission happens` to the warning about duplicate owners from a patch',
    ours: 'has one text for all',
    because: 'CREATE-27',
    explains: ({ path, theirs, ours }) =>
      path.startsWith('headers.warning') && String(theirs).replace(' after mutating admission happens', '') === ours,
  },
  {
    id: 'version-in-a-dry-run',
    theirs: 'returns a resourceVersion that the client sent in the response to a dry run of a create',
    ours: 'omits it',
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
    ours: 'omits it',
    because: 'LIST-15 allows both',
    explains: ({ path, theirs, ours }) => path === 'body.metadata.continue' && theirs === '' && ours === undefined,
  },
  {
    id: 'continue-to-nothing',
    theirs: 'returns a continue token for a full page of a selection even if nothing follows',
    ours: 'returns one only if something follows',
    because: 'LIST-24 allows both',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.continue' && ours === undefined && /limit=3&labelSelector/.test(request.path),
  },
  {
    id: 'limit-of-a-later-page',
    theirs: 'ignores the limit of a later page that is requested with `resourceVersion=0`',
    ours: 'applies it',
    because: 'LIST-05 allows both; LIST-15',
    explains: (_field, { request, ours }) =>
      /limit=4&resourceVersion=0&continue=/.test(request.path) && ours.status === 200,
  },
  {
    id: 'empty-metadata-list',
    theirs: 'writes `items: null` in an empty PartialObjectMetadataList',
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
    ours: 'omits it',
    because: 'TABLE-07',
    explains: ({ path, theirs, ours }) => /rows\[\d+\]\.object$/.test(path) && theirs === null && ours === undefined,
  },
  {
    id: 'own-descriptions',
    theirs: 'describes the columns for name and age in its own words',
    ours: 'describes them differently',
    because: 'TABLE-02 requires a text, but does not define it',
    explains: ({ path }) => /columnDefinitions\[[01]\]\.description$/.test(path),
  },
  {
    id: 'order-of-metadata',
    theirs: 'writes the metadata of rows and partial objects in the order of its Go structs',
    ours: 'writes it sorted, as in the object itself',
    because: 'DEC-25; the order of members has no meaning in JSON',
    explains: ({ path }, { request }) =>
      / \(order\)$/.test(path) &&
      /(^|\.)metadata(\.managedFields\[\d+\])? \(order\)$/.test(path) &&
      /as=(Table|PartialObjectMetadata)/.test(acceptOf(request)),
  },
];

function letters(value: unknown): string {
  return [...String(value)].sort().join('');
}
