import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, collectionPath, objectPath, type ServedApi } from './served-api.ts';

const contentTypes = [
  ...[
    'text/plain',
    'text/html',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
  ],
  ...[
    'application/octet-stream',
    'application/cbor',
    'application/vnd.kubernetes.protobuf',
    'image/png',
    '*/*',
    'json',
    '/',
  ],
  ...[
    'application/',
    '/json',
    'application/json/x',
    'application /json',
    'application/json;',
    'application/json;;;',
    ';',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset="',
    'application/json, application/yaml',
    ',',
    '=',
  ],
  ...[
    'application/strategic-merge-patch+json',
    'application/merge-patch+json',
    'application/json-patch+json',
    '__proto__',
  ],
  ...[
    'application/apply-patch+cbor',
    'application/apply-patch+yaml',
    `application/${'x'.repeat(8_000)}`,
    'constructor',
  ],
  ...[
    `application/json${';a=b'.repeat(2_000)}`,
    `application/json;a="${'\\"'.repeat(4_000)}`,
    'application/json; q=NaN',
  ],
];

const accepts = [
  ...[
    'text/plain',
    'application/xml',
    'image/*',
    '*',
    '/',
    'q=1',
    '*/*;q=0',
    'application/json;q=2',
    'application/json;q=x',
  ],
  ...[
    'application/json;as=Table',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    'application/json;as=Nothing;v=v1;g=x',
  ],
  ...[
    'application/json;as=PartialObjectMetadata;v=v1',
    'application/yaml;as=Table;v=v1;g=meta.k8s.io',
    'application/cbor',
  ],
  ...[
    'application/vnd.kubernetes.protobuf',
    'application/vnd.kubernetes.protobuf;type=watch',
    'application/json;stream=x',
  ],
  ...[
    ',,,,',
    ';;;',
    '"',
    'application/json;a="',
    `${'text/x,'.repeat(4_000)}x/y`,
    `a/b${';c=d'.repeat(4_000)}`,
    '__proto__/x',
  ],
  ...[
    'application/json;as=__proto__;v=constructor;g=prototype',
    `text/${'a'.repeat(30_000)}`,
    `${'*/*;q=0.1,'.repeat(3_000)}x/x`,
  ],
];

/** Unsupported content types and Accept headers, on every kind. */
export function* mediaTypes(servedApi: ServedApi): Generator<BadRequest> {
  let turn = 0;
  for (const kind of servedApi.kinds) {
    for (const { method, path } of bodyTargets(servedApi, kind)) {
      for (const type of contentTypes) {
        if (turn++ % 3 === 0)
          yield sending('content types', method, withQuery(path, dryRunQuery), '{"spec":{}}', { type });
      }
    }
    for (const accept of accepts) {
      const headers = { Accept: accept };
      const paths = [
        objectPath(servedApi, kind),
        collectionPath(servedApi, kind),
        `${collectionPath(servedApi, kind)}?watch=true`,
      ];
      yield sending('accepted types', 'GET', paths[turn++ % paths.length] ?? '', undefined, { headers });
      const target = withQuery(objectPath(servedApi, kind), dryRunQuery);
      yield sending('accepted types', 'DELETE', target, undefined, { headers });
    }
  }
  const roots = ['', '/api', '/apis', '/openapi/v2', '/openapi/v3', '/version', '/healthz', '/readyz/nothing'];
  for (const path of roots) {
    for (const accept of accepts) {
      yield sending('accepted types', 'GET', `${servedApi.root}${path}`, undefined, { headers: { Accept: accept } });
    }
  }
}
