import { acceptOf, causesOf, type Difference, isStatus, messageOf } from '../difference.ts';

/** In what every answer, or every error, has around its content. */
export const answerDifferences: readonly Difference[] = [
  {
    id: 'nosniff-on-every-error',
    theirs: 'sends `X-Content-Type-Options: nosniff` with some errors',
    ours: 'sends it with every error',
    because: 'ERR-12 asks for it where user input is echoed, and every error may echo some',
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
    theirs: 'answers 500 without a reason to some faults of the client',
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
    theirs: 'lists protobuf among the media types it takes, for custom resources too',
    ours: 'lists those that the kind really has',
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
    theirs: 'writes errors in protobuf where the client accepts it, whatever the kind',
    ours: 'writes them in JSON where the kind has no protobuf',
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
    theirs: 'names the media types of other answers when a watch is asked for in none that there is',
    ours: 'names those of a watch',
    because: 'NEG-12',
    explains: ({ path, ours }, { request }) =>
      path === 'body.message' &&
      /watch=/.test(request.path) &&
      ours === 'only the following media types are accepted: application/json;stream=watch',
  },
  {
    id: 'order-of-errors',
    theirs:
      'gives several errors, and several conflicts of an apply, in an order that changes from one request to the next',
    ours: 'gives them in the order of the schema and of the managers',
    because: 'no order is promised (ERR-07, CREATE-32)',
    explains: ({ path }, { theirs, ours }) =>
      /^body\.(message|details\.causes)/.test(path) &&
      causesOf(ours).length > 1 &&
      sorted(causesOf(theirs)) === sorted(causesOf(ours)),
  },
  {
    id: 'causes-once',
    theirs: 'repeats a cause of an update that was found twice',
    ours: 'gives it once',
    because: 'ERR-08',
    explains: ({ path }, { theirs, ours }) =>
      path.startsWith('body.details.causes') &&
      causesOf(theirs).length > causesOf(ours).length &&
      sorted([...new Set(causesOf(theirs))]) === sorted(causesOf(ours)),
  },
];

/** GET-05 and WATCH-18 have the same sentence with and without what it is about in front. */
function sameMessage(theirs: string, ours: string): boolean {
  return ours === theirs || ours === `invalid resource version: ${theirs}`;
}

function sorted(causes: readonly string[]): string {
  return [...causes].sort().join('\n');
}
