import { type BadRequest, noTrace, sending, withQuery } from './bad-request.ts';
import { collectionPath, objectPath, type World } from './world.ts';

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

export function* badPaths(world: World): Generator<BadRequest> {
  let turn = 0;
  for (const kind of world.kinds) {
    for (const segment of segments) {
      const raw = Buffer.from(segment).toString('latin1');
      const method = methods[turn++ % methods.length] ?? 'GET';
      const body = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? undefined : '{}';
      const places = [
        objectPath(world, kind, raw),
        `${objectPath(world, kind)}/${raw}`,
        `${objectPath(world, kind)}/status/${raw}`,
      ];
      yield named(method, withQuery(places[turn % 3] ?? '', noTrace), body);
      if (kind.collection.includes('/namespaces/')) {
        yield named(
          method,
          withQuery(collectionPath(world, kind).replace(/namespaces\/[^/]+/, `namespaces/${raw}`), noTrace),
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
      yield named(method, withQuery(collectionPath(world, kind), noTrace), undefined);
      yield named(method, withQuery(`${objectPath(world, kind)}/nothing`, noTrace), undefined);
      yield named(method, withQuery(`${objectPath(world, kind)}/status/deeper/still`, noTrace), undefined);
    }
    for (const { name } of kind.subresources) {
      for (const method of methods)
        yield named(method, withQuery(`${objectPath(world, kind, 'absent')}/${name}`, noTrace), '{}');
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
    world.root,
    `${world.root}/api/v1`,
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
        withQuery(`${base}${path}`, noTrace),
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
  for (const path of long) yield named('GET', `${world.root}${path}`, undefined);
}

function named(method: string, target: string, body: string | undefined): BadRequest {
  // Some of these are no request line at all; that is the reader's to say.
  return { ...sending('bad paths', method, target, body), mayBeDropped: /[^!-~]/.test(target) || method === 'CONNECT' };
}
