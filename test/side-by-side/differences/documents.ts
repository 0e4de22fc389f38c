import { acceptOf, type Difference, isStatus } from '../difference.ts';

const isDocument = (path: string) =>
  /^\/(apis?|openapi|version|healthz|livez|readyz)?(\/|\?|$)/.test(path) && !/\/gadgets|\/gizmos/.test(path);

/** Differences in the documents about the server itself. */
export const documentDifferences: readonly Difference[] = [
  {
    id: 'methods-of-documents',
    theirs: 'treats every method on most of its documents like GET, and refuses HEAD for `/version`',
    ours: 'answers GET and HEAD, and 405 to the others',
    because: 'REQ-10, REQ-25',
    explains: (_field, { request: { method = 'GET', path }, theirs, ours }) =>
      isDocument(path) &&
      ((ours.status === 405 && isStatus(ours) && method !== 'GET' && method !== 'HEAD') ||
        (method === 'HEAD' && theirs.status === 405 && ours.status === 200)),
  },
  {
    id: 'documents-are-text',
    theirs: 'serves its discovery documents in protobuf too',
    ours: 'serves them in JSON and YAML',
    because: 'every client accepts JSON (DISC-12, NEG-13)',
    explains: (_field, { request, theirs, ours }) =>
      isDocument(request.path) &&
      /protobuf/.test(acceptOf(request)) &&
      theirs.status === 200 &&
      (ours.status === 406 || /json/.test(String(ours.headers['content-type']))),
  },
  {
    id: 'vary-on-documents',
    theirs: 'omits `Vary` although the response depends on `Accept`, and adds `Accept-Encoding` for `/openapi/v2`',
    ours: 'sends `Vary: Accept` with every document that has more than one form',
    because: 'RFC 9110 §12.5.5; DISC-15 and OAPI-03 require no less',
    explains: ({ path }, { request }) => path === 'headers.vary' && isDocument(request.path),
  },
  {
    id: 'final-slashes-of-documents',
    theirs: 'serves no aggregated discovery at `/api/` and `/apis/`, and 404 at `/healthz/`',
    ours: 'serves them like the paths without the slash',
    because: 'DISC-10',
    explains: (_field, { request, ours }) =>
      /^(\/apis?|\/healthz|\/livez|\/readyz|\/openapi\/v3)\/$/.test(request.path) && ours.status === 200,
  },
  {
    id: 'weak-etags',
    theirs: 'sends a document again for `If-None-Match` with a weak form of its tag',
    ours: 'answers 304',
    because: 'RFC 9110 §13.1.2',
    explains: (_field, { request, ours }) =>
      /^W\//.test(request.headers?.['if-none-match'] ?? '') && ours.status === 304,
  },
  {
    id: 'openapi-root-is-json',
    theirs: 'sends the list of OpenAPI documents as `text/plain`, for any Accept header',
    ours: 'sends it as JSON or YAML',
    because: 'OAPI-01',
    explains: (_field, { request, theirs }) =>
      /^\/openapi\/v3\/?$/.test(request.path) && theirs.headers['content-type'] === 'text/plain; charset=utf-8',
  },
  {
    id: 'documents-in-yaml',
    theirs: 'serves aggregated discovery in YAML, but not OpenAPI documents',
    ours: 'serves OpenAPI documents in YAML, but not aggregated discovery',
    because: 'DISC-11; responses are YAML on request (completions §2)',
    explains: (_field, { request, theirs, ours }) =>
      /yaml/.test(acceptOf(request)) &&
      ((/^\/openapi/.test(request.path) && theirs.status === 406 && ours.status === 200) ||
        (/^\/apis?\/?$/.test(request.path) && theirs.status === 200 && ours.status === 406)),
  },
  {
    id: 'shard-selector',
    theirs: 'publishes the parameter `shardSelector` and the shards of a list',
    ours: 'does not have it',
    because: 'it belongs to a feature that is off by default and that no rule covers',
    explains: ({ path, ours }) => path === 'body.parameters.query shardSelector' && ours === undefined,
  },
  {
    id: 'parameters-of-a-deletion',
    theirs: 'publishes the options of a list for the deletion of a collection, including those without effect',
    ours: 'publishes those that it reads, and the options of a deletion',
    because: 'OAPI-11, DELCOL-01',
    explains: ({ path }, { request }) =>
      path.startsWith('body.parameters.') && /^DELETE .*\/g(adget|izmo)s in OpenAPI$/.test(request.path),
  },
  {
    id: 'default-of-metadata',
    theirs: 'publishes `metadata` without a default',
    ours: 'publishes the default `{}`',
    because: 'OAPI-13',
    explains: ({ path, theirs }, { request }) =>
      /^v3 /.test(request.path) && path === 'body.properties.metadata.default' && theirs === undefined,
  },
  {
    id: 'redirect-of-a-hash',
    theirs: 'sends the type and tag of the document with the redirect to its current hash',
    ours: 'sends only the redirect',
    because: 'OAPI-03',
    explains: ({ path, ours }, exchange) =>
      exchange.ours.status === 301 && /^headers\.(content-type|etag)$/.test(path) && ours === undefined,
  },
];
