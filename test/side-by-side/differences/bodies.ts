import { type Difference, isStatus, messageOf, sentOf, typeOf } from '../difference.ts';

const missingType = /Object 'Kind' is missing|data \(\) does not match|^invalid object type: /;

/** Differences in how a body is decoded into an object. */
export const bodyDifferences: readonly Difference[] = [
  {
    id: 'type-from-the-path',
    theirs: 'refuses a custom resource without kind or apiVersion, including one from which a patch removes them',
    ours: 'takes both from the path, and reports other errors in the body instead',
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
    theirs: 'also reports `spec` as an unknown field if an object has another version',
    ours: 'reports only that the version differs',
    because: 'DEC-04',
    explains: ({ path, theirs }, exchange) =>
      /workshop\.test\/(v2)?"/.test(sentOf(exchange.request)) &&
      ((path === 'headers.warning' && String(theirs) === '299 - "unknown field \\"spec\\""') ||
        (/strict decoding error: unknown field "spec"/.test(messageOf(exchange.theirs)) &&
          exchange.ours.status === 422)),
  },
  {
    id: 'words-of-the-yaml-parser',
    theirs: 'reports YAML errors in the wording of its parser',
    ours: 'reports them in the wording of another parser',
    because: 'DEC-01 requires the status and the frame of the message',
    explains: ({ path }, { theirs, ours }) =>
      path === 'body.message' &&
      theirs.status === 400 &&
      ours.status === 400 &&
      /yaml: |map key/.test(messageOf(theirs)) &&
      /yaml: |map key/.test(messageOf(ours)),
  },
  {
    id: 'what-yaml-is',
    theirs: 'accepts a JSON object with trailing data as YAML; refuses `%YAML 1.2` and half a surrogate pair',
    ours: 'refuses the first and accepts the others',
    because: 'this server reads YAML 1.2; DEC-01 requires only YAML',
    explains: (_field, { request, theirs, ours }) =>
      typeOf(request) === 'application/yaml' &&
      ((theirs.status === 201 && ours.status === 400 && /^\{.*\}( x|\{.*\})$/.test(sentOf(request))) ||
        (theirs.status === 400 && ours.status !== 400 && /^%YAML 1\.2|\\ud800/.test(sentOf(request)))),
  },
  {
    id: 'number-beyond-a-float',
    theirs: 'reports for `1e400` that the object cannot be handled',
    ours: 'reports that the text cannot be decoded, followed by the same reason',
    because: 'it is found while the text is decoded (DEC-01, DEC-07)',
    explains: ({ path, ours }, { request }) =>
      path === 'body.message' &&
      /1e400/.test(sentOf(request)) &&
      /json: cannot unmarshal number 1e400 into Go value of type float64/.test(String(ours)),
  },
  {
    id: 'whole-numbers-are-integers',
    theirs: 'calls `1.0` a number in a type error for a string field',
    ours: 'calls it an integer',
    because: 'the value is the same; only the word in the message differs (META-21)',
    explains: ({ path, theirs, ours }) =>
      /^body\.(message|details\.causes\[0\]\.message)$/.test(path) &&
      String(theirs).replaceAll('\\"number\\"', '"integer"').replaceAll('"number"', '"integer"') === ours,
  },
  {
    id: 'nesting',
    theirs: 'accepts objects of up to 10,000 levels and tracks every field of them',
    ours: 'accepts objects of up to 1,000 levels, refuses deeper ones with a message, and tracks fields without a schema down to level 100',
    because: 'REQ-21 requires that depth causes no harm',
    explains: ({ path }, { ours }) =>
      (ours.status === 400 && /exceeded max depth of 1000$/.test(messageOf(ours))) ||
      (path.startsWith('body.metadata.managedFields') && path.split('.f:a').length > 95),
  },
  {
    id: 'delete-options-of-another-kind',
    theirs: 'reports the Go error if a body is not DeleteOptions',
    ours: 'reports `decoded object cannot be converted to DeleteOptions`',
    because: 'DELETE-03',
    explains: ({ path, ours }, { request, theirs }) =>
      path === 'body.message' &&
      request.method === 'DELETE' &&
      theirs.status === 400 &&
      isStatus(theirs) &&
      ours === 'decoded object cannot be converted to DeleteOptions',
  },
];
