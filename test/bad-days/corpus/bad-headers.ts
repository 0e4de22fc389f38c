import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, objectPath, type ServedApi } from './served-api.ts';

const family = 'bad headers';
const long = 'x'.repeat(70_000);

const headers: readonly Readonly<Record<string, string>>[] = [
  ...[
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'bearer  x',
    'Basic x',
    'Basic Og==',
    'Digest x',
    'Bearer a b c',
    'Bearer \xff',
  ].map((value) => ({ Authorization: value })),
  ...[
    `Bearer ${'x'.repeat(20_000)}`,
    `Bearer flk_${'x'.repeat(40)}`,
    'Bearer __proto__',
    'Bearer ..',
    'Bearer eyJh.e30.',
  ].map((value) => ({ Authorization: value })),
  { 'X-Long': long },
  { [long.slice(0, 66_000)]: 'x' },
  { 'Impersonate-User': '' },
  { 'Impersonate-User': 'system:masters' },
  { 'Impersonate-Group': 'system:masters' },
  { 'Impersonate-User': '\xff', 'Impersonate-Group': 'x' },
  { 'Impersonate-User': 'x', 'Impersonate-Uid': 'y', 'Impersonate-Extra-%ff%00': 'z' },
  { 'Impersonate-Extra-a': 'b' },
  { 'Impersonate-User': 'x'.repeat(10_000) },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-Forwarded-For': '127.0.0.1, ::1, x', 'X-Forwarded-Proto': 'http', Forwarded: 'for=_x' },
  { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' },
  { Range: 'bytes=0-0,-1,5-2' },
  { 'If-Match': '"x"', 'If-None-Match': '*', 'If-Modified-Since': 'yesterday' },
  { 'If-None-Match': `"${'x",'.repeat(5_000)}"` },
  { Expect: 'the impossible' },
  { Upgrade: 'h2c', Connection: 'Upgrade, HTTP2-Settings', 'HTTP2-Settings': 'AAMAAABkAAQ' },
  { Upgrade: 'websocket', Connection: 'Upgrade' },
  { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'x', 'Sec-WebSocket-Version': '99' },
  { Upgrade: 'SPDY/3.1', Connection: 'Upgrade' },
  { Upgrade: 'nothing', Connection: 'upgrade' },
  { 'Accept-Encoding': `${'gzip;q=0.1,'.repeat(5_000)}*` },
  { 'Accept-Encoding': 'gzip;q=x;;;,=' },
  { 'Accept-Language': `${'de-'.repeat(10_000)}` },
  { Cookie: `${'a=b; '.repeat(10_000)}` },
  { 'User-Agent': '\x01\x02' },
  { 'Audit-ID': '\xff'.repeat(300) },
  { Host: '' },
  { Host: 'other.example' },
  { Host: 'a b' },
  { Host: '127.0.0.1:99999999' },
  { Connection: 'close, keep-alive, authorization' },
  { 'Keep-Alive': 'timeout=x' },
  { TE: 'trailers, deflate;q=0.5' },
  { Trailer: 'Authorization' },
  { Origin: 'null', 'Access-Control-Request-Method': 'DELETE' },
  { 'Sec-WebSocket-Protocol': 'base64url.bearer.authorization.k8s.io.x' },
  { __proto__: 'x', constructor: 'y', 'content-length ': '5' },
];

export function* badHeaders(servedApi: ServedApi): Generator<BadRequest> {
  for (const [turn, kind] of servedApi.kinds.entries()) {
    for (const [index, more] of headers.entries()) {
      const places: readonly (readonly [string, string, string | undefined])[] = [
        ['GET', collectionPath(servedApi, kind), undefined],
        ['GET', objectPath(servedApi, kind), undefined],
        ['POST', withQuery(collectionPath(servedApi, kind), dryRunQuery), '{}'],
        ['DELETE', withQuery(objectPath(servedApi, kind), dryRunQuery), undefined],
      ];
      const [method, path, body] = places[(turn + index) % places.length] ?? ['GET', '/', undefined];
      yield { ...sending(family, method, path, body, { headers: more }), mayBeDropped: true };
    }
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`X-${n}`, 'y']));
    yield {
      ...sending(family, 'GET', collectionPath(servedApi, kind), undefined, { headers: many }),
      mayBeDropped: true,
    };
  }
}
