import { gzipSync } from 'node:zlib';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, collectionPath, objectPath, patchTypes, type ServedApi } from './served-api.ts';

const limit = 3 * 1024 * 1024;

/**
 * Bodies just above the size limit, and small bodies that would expand without bound if the server decompressed them.
 */
export function* bodySizes(servedApi: ServedApi): Generator<BadRequest> {
  const tooLong = Buffer.alloc(limit + 1, 0x20);
  const longest = Buffer.alloc(limit, 0x20);
  const strings = Buffer.from(`{"metadata":{"name":"x","annotations":{"a":"${'x'.repeat(limit - 100)}"}}}`);
  const numbers = Buffer.from(`{"spec":[${'1,'.repeat(limit / 2 - 10)}1]}`);
  const objects = Buffer.from(`{"spec":[${'{},'.repeat(limit / 3 - 10)}{}]}`);
  const members = Buffer.from(`{${Array.from({ length: 190_000 }, (_, n) => `"m${n}":0`).join(',')}}`);
  const bombs = [gzipSync(Buffer.alloc(64 * limit)), gzipSync(gzipSync(Buffer.alloc(64 * limit)))];
  const family = 'body sizes';
  const kinds = servedApi.kinds.filter((kind) => kind.objectMethods.includes('patch')).slice(0, 3);
  for (const kind of kinds) {
    for (const { method, path, type } of bodyTargets(servedApi, kind)) {
      const target = withQuery(path, dryRunQuery);
      yield sending(family, method, target, tooLong, { type, refused: true });
      for (const body of [longest, strings, numbers, objects, members])
        yield sending(family, method, target, body, { type });
    }
    const operations = Buffer.from(`[${'{"op":"test","path":"/kind","value":1},'.repeat(40_000)}{}]`);
    const target = withQuery(objectPath(servedApi, kind), dryRunQuery);
    yield sending(family, 'PATCH', target, operations, { type: patchTypes.json, refused: true });
  }
  for (const kind of servedApi.kinds) {
    for (const { method, path, type } of bodyTargets(servedApi, kind)) {
      for (const [index, encoding] of ['gzip', 'deflate', 'br', 'gzip, gzip', 'x-gzip', 'zstd', 'compress'].entries()) {
        const headers = { 'Content-Encoding': encoding };
        yield sending('packed bodies', method, path, bombs[index % 2], { type, headers, refused: true });
      }
    }
  }
  const path = collectionPath(servedApi, kinds[0] ?? (servedApi.kinds[0] as never));
  for (const length of [
    '3145729',
    '9999999999',
    '99999999999999999999',
    '-1',
    '1e3',
    '0x10',
    '+5',
    ' ',
    '5, 5',
    '5, 6',
  ]) {
    const headers = { 'Content-Length': length };
    const request = sending(family, 'POST', path, Buffer.from('{}'), { headers });
    yield { ...request, halfway: true, mayBeDropped: true };
  }
}
