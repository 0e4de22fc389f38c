import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, objectPath, type ServedApi } from './served-api.ts';

const segments = [
  ...[
    '..',
    '.',
    '%2e%2e',
    '%2e',
    '..%2f..',
    '%2f',
    '%2F%2F',
    'a%2fb',
    '%5c',
    '..%5c..',
    '%00',
    'a%00',
    '%0a',
    '%0d%0aX:1',
    '%20',
  ],
  ...[
    '%',
    '%z',
    '%zz',
    '%2',
    '%u0041',
    '%c0%ae%c0%ae',
    '%ff',
    '%ed%a0%80',
    '%F0%9F%A6%8A',
    ';a=b',
    'a;b',
    'a:b',
    '*',
    '~',
    '@',
    '!',
  ],
  ...[
    'A',
    'UPPER',
    'a_b',
    '-a',
    'a-',
    'a..b',
    '__proto__',
    'constructor',
    'toString',
    'undefined',
    'null',
    'NaN',
    '%25',
    '%252e%252e',
  ],
  ...[
    'x'.repeat(254),
    'x'.repeat(5_000),
    'ä'.repeat(100),
    '',
    '%3f',
    '%23',
    '%26',
    '?',
    '&',
    '=',
    '+',
    '[',
    ']',
    '{',
    '|',
    '^',
    '`',
    '"',
    '<',
  ],
];

const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST'];

export function* badPaths(servedApi: ServedApi): Generator<BadRequest> {
  let turn = 0;
  for (const kind of servedApi.kinds) {
    for (const segment of segments) {
      const raw = Buffer.from(segment).toString('latin1');
      const method = methods[turn++ % methods.length] ?? 'GET';
      const body = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? undefined : '{}';
      const places = [
        objectPath(servedApi, kind, raw),
        `${objectPath(servedApi, kind)}/${raw}`,
        `${objectPath(servedApi, kind)}/status/${raw}`,
      ];
      yield named(method, withQuery(places[turn % 3] ?? '', dryRunQuery), body);
      if (kind.collection.includes('/namespaces/')) {
        yield named(
          method,
          withQuery(collectionPath(servedApi, kind).replace(/namespaces\/[^/]+/, `namespaces/${raw}`), dryRunQuery),
          body,
        );
      }
    }
    for (const method of [
      'PUT',
      'PATCH',
      'POST',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'MKCOL',
      'PURGE',
      'REPORT',
      'LINK',
    ]) {
      yield named(method, withQuery(collectionPath(servedApi, kind), dryRunQuery), undefined);
      yield named(method, withQuery(`${objectPath(servedApi, kind)}/nothing`, dryRunQuery), undefined);
      yield named(method, withQuery(`${objectPath(servedApi, kind)}/status/deeper/still`, dryRunQuery), undefined);
    }
    for (const { name } of kind.subresources) {
      for (const method of methods)
        yield named(method, withQuery(`${objectPath(servedApi, kind, 'absent')}/${name}`, dryRunQuery), '{}');
    }
  }
  const anywhere = [
    '/',
    '//',
    '/./',
    '/../',
    '/..',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/x',
    '/openapi/v3',
    '/openapi/v3/x',
    '/version',
    '/healthz',
  ];
  for (const base of [
    '',
    '/kubernetes',
    servedApi.root,
    `${servedApi.root}/api/v1`,
    '/kubernetes/cluster',
    '/kubernetes/cluster/local',
    '/kubernetes/cluster/local/apis/storage.platform.sh/v1/namespaces/default/virtualclusters/none/proxy',
    '/kubernetes/project',
    '/auth',
    '/backup',
  ]) {
    for (const path of [...anywhere, ...segments.map((segment) => `/${Buffer.from(segment).toString('latin1')}`)]) {
      const method = methods[turn++ % methods.length] ?? 'GET';
      yield named(
        method === 'GET' && base === '/backup' ? 'PUT' : method,
        withQuery(`${base}${path}`, dryRunQuery),
        undefined,
      );
    }
  }
  const long = [
    `${'/a'.repeat(15_000)}`,
    `/?${'a=b&'.repeat(7_000)}`,
    `/?${'a'.repeat(30_000)}`,
    `/${'%41'.repeat(10_000)}`,
    `/${'../'.repeat(8_000)}`,
  ];
  for (const path of long) yield named('GET', `${servedApi.root}${path}`, undefined);
}

function named(method: string, target: string, body: string | undefined): BadRequest {
  // Some of these requests have invalid request lines, which the HTTP parser rejects.
  return { ...sending('bad paths', method, target, body), mayBeDropped: /[^!-~]/.test(target) || method === 'CONNECT' };
}
