import { acceptOf, causesOf, type Difference, isStatus, messageOf } from '../difference.ts';

/** Differences in parts that all responses or all errors have. */
export const answerDifferences: readonly Difference[] = [
  {
    id: 'nosniff-on-every-error',
    theirs: 'sends `X-Content-Type-Options: nosniff` with some errors',
    ours: 'sends it with every error',
    because: 'ERR-12 requires it where user input is echoed, and every error may echo some',
    explains: ({ path, theirs, ours }) =>
      path === 'headers.x-content-type-options' && theirs === undefined && ours === 'nosniff',
  },
  {
    id: 'status-instead-of-text',
    theirs: 'answers some errors in plain text, or with no body',
    ours: 'answers a Status with the same code',
    because: 'every error is a Status object (completions §2)',
    explains: (_field, { theirs, ours }) =>
      typeof theirs.body === 'string' &&
      (theirs.body === '' || /^text\/plain/.test(String(theirs.headers['content-type']))) &&
      theirs.status >= 400 &&
      theirs.status === ours.status &&
      isStatus(ours),
  },
  {
    id: 'client-fault-is-no-500',
    theirs: 'answers 500 without a reason to some client errors',
    ours: 'answers 400 or 422 with the same message',
    because: 'completions §2',
    explains: (_field, { theirs, ours }) =>
      theirs.status === 500 &&
      (ours.status === 400 || ours.status === 422) &&
      isStatus(ours) &&
      sameMessage(messageOf(theirs), messageOf(ours)),
  },
  {
    id: 'protobuf-not-listed',
    theirs: 'lists protobuf among the accepted media types, for custom resources too',
    ours: 'lists those that the kind supports',
    because: 'NEG-05',
    explains: ({ path, theirs, ours }) =>
      path === 'body.message' &&
      /^(the body of the request was in an unknown format|only the following media types are accepted)/.test(
        String(ours),
      ) &&
      String(theirs).replaceAll(/, application\/vnd\.kubernetes\.protobuf(;stream=watch)?/g, '') === ours,
  },
  {
    id: 'errors-in-json',
    theirs: 'writes errors in protobuf if the client accepts it, for any kind',
    ours: 'writes them in JSON if the kind has no protobuf',
    because: 'NEG-05, NEG-14',
    explains: (_field, { request, theirs, ours }) =>
      /protobuf/.test(acceptOf(request)) &&
      /protobuf/.test(String(theirs.headers['content-type'])) &&
      theirs.status >= 400 &&
      theirs.status === ours.status &&
      isStatus(ours),
  },
  {
    id: 'media-types-of-watches',
    theirs: 'names the media types of other responses if a watch is requested in an unsupported one',
    ours: 'names those of a watch',
    because: 'NEG-12',
    explains: ({ path, ours }, { request }) =>
      path === 'body.message' &&
      /watch=/.test(request.path) &&
      ours === 'only the following media types are accepted: application/json;stream=watch',
  },
  {
    id: 'order-of-errors',
    theirs: 'reports several errors, and several conflicts of an apply, in an order that changes between requests',
    ours: 'reports them in the order of the schema and of the managers',
    because: 'no order is promised (ERR-07, CREATE-32)',
    explains: ({ path }, { theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      causesOf(ours).length > 1 &&
      sorted(causesOf(theirs)) === sorted(causesOf(ours)),
  },
  {
    id: 'causes-once',
    theirs: 'repeats a cause of an update that was found twice',
    ours: 'reports it once',
    because: 'ERR-08',
    explains: ({ path }, { theirs, ours }) =>
      path.startsWith('body.details.causes') &&
      causesOf(theirs).length > causesOf(ours).length &&
      sorted([...new Set(causesOf(theirs))]) === sorted(causesOf(ours)),
  },
];

/**
 * True if the messages are equal. This server's message may start with the additional prefix `invalid resource version:
 * ` (GET-05, WATCH-18).
 */
function sameMessage(theirs: string, ours: string): boolean {
  return ours === theirs || ours === `invalid resource version: ${theirs}`;
}

function sorted(causes: readonly string[]): string {
  return [...causes].sort().join('\n');
}
