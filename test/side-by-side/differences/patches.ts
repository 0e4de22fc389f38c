import { type Difference, isStatus, messageOf, sentOf, typeOf } from '../difference.ts';

/** Differences in patches and server-side apply. */
export const patchDifferences: readonly Difference[] = [
  {
    id: 'patch-is-read-first',
    theirs: 'answers 404 to an invalid patch of a missing object',
    ours: 'answers 400',
    because: 'REQ-28',
    explains: (_field, { request, theirs, ours }) =>
      request.method === 'PATCH' &&
      theirs.status === 404 &&
      ours.status === 400 &&
      /decoding patch/.test(messageOf(ours)),
  },
  {
    id: 'json-patch-by-the-standard',
    theirs: 'accepts a path without a leading slash',
    ours: 'refuses it',
    because: 'PATCH-07 (RFC 6902)',
    explains: (_field, { request, ours }) =>
      typeOf(request) === 'application/json-patch+json' &&
      ours.status === 422 &&
      messageOf(ours) === 'the server rejected our request due to an error in our request' &&
      /"path":"spec\/color"/.test(sentOf(request)),
  },
  {
    id: 'add-makes-labels-and-annotations',
    theirs: 'refuses to add a label or annotation by JSON patch if the map does not exist',
    ours: 'creates the map',
    because: 'completions §2.4',
    explains: (_field, { request, theirs, ours }) =>
      theirs.status === 422 &&
      ours.status === 200 &&
      /"op":"add","path":"\/metadata\/(labels|annotations)\//.test(sentOf(request)),
  },
  {
    id: 'null-is-no-merge-patch',
    theirs: 'reports `Invalid JSON Patch` for the merge patch `null`',
    ours: 'reports the actual error',
    because: 'PATCH-04 allows both',
    explains: ({ path, theirs }, { request, ours }) =>
      path === 'body.message' && theirs === 'Invalid JSON Patch' && sentOf(request) === 'null' && ours.status === 400,
  },
  {
    id: 'reset-by-an-empty-list',
    theirs: 'keeps tracking fields when a patch empties managedFields, and resets it only by `[{}]`',
    ours: 'stops tracking with both',
    because: 'SSA-29',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.managedFields' && ours === undefined && /"managedFields":\[\]/.test(sentOf(request)),
  },
  {
    id: 'apply-of-nulls',
    theirs: 'validates nulls in an apply',
    ours: 'removes them first if the schema does not allow null',
    because: 'SSA-40, DEC-22',
    explains: (_field, { request, theirs }) =>
      /apply-patch/.test(typeOf(request)) &&
      theirs.status === 422 &&
      /must be of type \w+: "null"$/.test(messageOf(theirs)),
  },
  {
    id: 'apply-of-no-object',
    theirs: 'reports a Go error if the body of an apply is not an object or has no kind',
    ours: 'reports `error decoding patch`, and why',
    because: 'SSA-04',
    explains: (_field, { request, theirs, ours }) =>
      /apply-patch/.test(typeOf(request)) &&
      theirs.status === 400 &&
      ours.status === 400 &&
      isStatus(ours) &&
      /^error decoding (YAML|patch)/.test(messageOf(theirs)) &&
      /^error decoding patch: /.test(messageOf(ours)),
  },
  {
    id: 'every-typed-problem',
    theirs: 'answers 500 with one of the forbidden fields of an apply, or with all in random order',
    ours: 'answers 422 with all of them, sorted',
    because: 'SSA-05, completions §2',
    explains: (_field, { theirs, ours }) =>
      theirs.status === 500 &&
      ours.status === 422 &&
      /^failed to create typed patch object /.test(messageOf(theirs)) &&
      /^failed to create typed patch object .*: errors:\n/.test(messageOf(ours)),
  },
];
