import { acceptOf, type Difference, isStatus, messageOf, typeOf } from '../difference.ts';

const noSuchMethod = 'the server does not allow this method on the requested resource';

/** Differences in routing and content negotiation. */
export const requestDifferences: readonly Difference[] = [
  {
    id: 'method-of-a-path',
    theirs:
      'answers a PUT or PATCH of a collection, a POST of an object and a path beyond a subresource with various other errors or responses, and names no verb in the 405 to OPTIONS and similar methods',
    ours: 'answers 405, 405 and 404, and one 405 to every method',
    because: 'REQ-14, REQ-26',
    explains: (_field, { request, ours }) =>
      (ours.status === 405 && messageOf(ours) === noSuchMethod && /\/gadgets(\/base)?$/.test(request.path)) ||
      (ours.status === 404 && /\/status\/more$/.test(request.path)),
  },
  {
    id: 'unknown-method',
    theirs: 'answers 405 to an unknown method',
    ours: 'answers 400',
    because: 'the HTTP parser knows the registered methods only, and cannot parse other requests (completions §2)',
    explains: (_field, { request, ours }) => request.method === 'FOO' && ours.status === 400 && isStatus(ours),
  },
  {
    id: 'slash-in-a-name',
    theirs: 'treats an escaped slash in a name as the end of the name',
    ours: 'answers 400',
    because: 'REQ-24',
    explains: (_field, { request, ours }) => /%2f/i.test(request.path) && ours.status === 400 && isStatus(ours),
  },
  {
    id: 'media-types-by-the-standard',
    theirs: 'compares media types case-sensitively, accepts `q=0` and refuses a parameter without a value',
    ours: 'ignores case and such a parameter, and refuses `q=0`',
    because: 'RFC 9110 §8.3.1 and §12.4.2; NEG-02 and NEG-08 leave it open',
    explains: (_field, { request, theirs, ours }) =>
      (/Application\/JSON/.test(acceptOf(request)) && theirs.status === 406) ||
      (/q=0$/.test(acceptOf(request)) && ours.status === 406) ||
      (/Application\/Merge-Patch|utf-8;foo$/.test(typeOf(request)) && theirs.status === 415),
  },
  {
    id: 'protobuf-body-of-a-custom-resource',
    theirs: 'closes the connection for an invalid protobuf body of a custom resource',
    ours: 'answers 415',
    because: 'NEG-05',
    explains: (_field, { request, theirs, ours }) =>
      /protobuf/.test(typeOf(request)) && theirs.status === 0 && ours.status === 415,
  },
  {
    id: 'metadata-list-of-one-object',
    theirs: 'answers 500 after the lookup if one object is requested as a PartialObjectMetadataList',
    ours: 'answers 406 at once',
    because: 'NEG-15',
    explains: (_field, { request, ours }) =>
      /as=PartialObjectMetadataList/.test(acceptOf(request)) &&
      ours.status === 406 &&
      /but the requested object is not a list/.test(messageOf(ours)),
  },
  {
    id: 'names-of-go-types',
    theirs: 'names its own Go type in the message that a list is not a single object',
    ours: 'names the kind',
    because: 'NEG-15 leaves the name open',
    explains: ({ path, theirs, ours }) =>
      path === 'body.message' &&
      /but the requested object is a list \(\*unstructured\.UnstructuredList\)$/.test(String(theirs)) &&
      /but the requested object is a list \(\w+List\)$/.test(String(ours)),
  },
  {
    id: 'watch-of-nothing',
    theirs: 'answers 500 in plain text to the old form of a watch without a resource',
    ours: 'answers 400 with the same message',
    because: 'REQ-07, completions §2',
    explains: (_field, { request, theirs, ours }) =>
      /\/watch\/\?/.test(request.path) &&
      theirs.status === 500 &&
      ours.status === 400 &&
      /^unable to determine kind and namespace from url, /.test(messageOf(ours)),
  },
  {
    id: 'empty-field-selector',
    theirs: 'treats the field selector `=`, which names no field, as matching everything',
    ours: 'answers 400',
    because: 'SEL-09',
    explains: (_field, { request, ours }) =>
      /fieldSelector=%3D(x)?$/.test(request.path) && messageOf(ours) === 'field label not supported: ',
  },
];
