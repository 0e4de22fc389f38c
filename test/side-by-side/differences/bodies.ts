import { type Difference, isStatus, messageOf, sentOf, typeOf } from '../difference.ts';

const missingType = /Object 'Kind' is missing|data \(\) does not match|^invalid object type: /;

/** In how a body becomes an object. */
export const bodyDifferences: readonly Difference[] = [
  {
    id: 'type-from-the-path',
    theirs: 'refuses a custom resource without kind or apiVersion, also one that a patch takes them from',
    ours: 'takes both from the path; what else is wrong with the body is told instead',
    because: 'completions §2',
    explains: (_field, { theirs, ours }) =>
      missingType.test(messageOf(theirs)) &&
      (theirs.status === 400 || theirs.status === 422) &&
      !missingType.test(messageOf(ours)) &&
      ours.status < 500,
  },
  {
    id: 'other-kind-is-400',
    theirs: 'answers 422 to an object of another kind',
    ours: 'answers 400',
    because: 'completions §2',
    explains: (_field, { theirs, ours }) =>
      theirs.status === 422 &&
      / is invalid: kind: Invalid value: "\w+": must be \w+$/.test(messageOf(theirs)) &&
      ours.status === 400 &&
      / cannot be handled as a /.test(messageOf(ours)),
  },
  {
    id: 'fields-of-another-version',
    theirs: 'tells besides that `spec` is an unknown field when an object is of another version',
    ours: 'tells that the version is another one, and no more',
    because: 'DEC-04',
    explains: ({ path, theirs }, exchange) =>
      /workshop\.test\/(v2)?"/.test(sentOf(exchange.request)) &&
      ((path === 'headers.warning' && String(theirs) === '299 - "unknown field \\"spec\\""') ||
        (/strict decoding error: unknown field "spec"/.test(messageOf(exchange.theirs)) &&
          exchange.ours.status === 422)),
  },
  {
    id: 'words-of-the-yaml-parser',
    theirs: 'tells what is wrong with a YAML text in the words of its parser',
    ours: 'tells it in the words of another one',
    because: 'DEC-01 asks for the status and the frame of the message',
    explains: ({ path }, { theirs, ours }) =>
      path === 'body.message' &&
      theirs.status === 400 &&
      ours.status === 400 &&
      /yaml: |map key/.test(messageOf(theirs)) &&
      /yaml: |map key/.test(messageOf(ours)),
  },
  {
    id: 'what-yaml-is',
    theirs: 'takes a JSON object followed by something else for YAML; refuses `%YAML 1.2` and half a surrogate pair',
    ours: 'refuses the first and takes the others',
    because: 'YAML 1.2 is what is read; DEC-01 says no more than YAML',
    explains: (_field, { request, theirs, ours }) =>
      typeOf(request) === 'application/yaml' &&
      ((theirs.status === 201 && ours.status === 400 && /^\{.*\}( x|\{.*\})$/.test(sentOf(request))) ||
        (theirs.status === 400 && ours.status !== 400 && /^%YAML 1\.2|\\ud800/.test(sentOf(request)))),
  },
  {
    id: 'number-beyond-a-float',
    theirs: 'tells of `1e400` that the object cannot be handled',
    ours: 'tells that the text cannot be read, with the same reason after it',
    because: 'it is found while the text is read (DEC-01, DEC-07)',
    explains: ({ path, ours }, { request }) =>
      path === 'body.message' &&
      /1e400/.test(sentOf(request)) &&
      /json: cannot unmarshal number 1e400 into Go value of type float64/.test(String(ours)),
  },
  {
    id: 'whole-numbers-are-integers',
    theirs: 'calls `1.0` a number where a text should stand',
    ours: 'calls it an integer',
    because: 'the value is the same; only the word in the message differs (META-21)',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes\[0\]\.message)$/.test(path) &&
      String(theirs).replaceAll('\\"number\\"', '"integer"').replaceAll('"number"', '"integer"') === ours,
  },
  {
    id: 'nesting',
    theirs: 'takes objects of up to 10,000 levels and tracks every field of them',
    ours: 'takes objects of up to 1,000, tells a deeper one so, and tracks fields without a schema to the 100th level',
    because: 'REQ-21 asks that depth does no harm',
    explains: ({ path }, { ours }) =>
      (ours.status === 400 && /exceeded max depth of 1000$/.test(messageOf(ours))) ||
      (path.startsWith('body.metadata.managedFields') && path.split('.f:a').length > 95),
  },
  {
    id: 'delete-options-of-another-kind',
    theirs: 'tells in Go’s words why a body is no DeleteOptions',
    ours: 'says `decoded object cannot be converted to DeleteOptions`',
    because: 'DELETE-03',
    explains: ({ path, ours }, { request, theirs }) =>
      path === 'body.message' &&
      request.method === 'DELETE' &&
      theirs.status === 400 &&
      isStatus(theirs) &&
      ours === 'decoded object cannot be converted to DeleteOptions',
  },
];
