import { gzipSync } from 'node:zlib';
import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, newObject, patchTypes, type ServedApi } from './served-api.ts';

const family = 'broken bytes';

const bodies: readonly (string | Buffer)[] = [
  ...[
    '',
    ' ',
    '\n',
    'null',
    '5',
    '"x"',
    'true',
    '[]',
    '[{}]',
    '{',
    '}',
    '{"',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{,}',
  ],
  ...[
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '[1,]',
    '{"a":1}{"b":2}',
    '{"a":1} x',
    '// c\n{}',
    '/* c */{}',
    '{"a":undefined}',
  ],
  ...[
    '{"a":tru}',
    '{"a":nul}',
    '{"a":+1}',
    '{"a":"\t"}',
    '{"a":"\n"}',
    '{"a":"\\q"}',
    '{"a":"\\u00g0"}',
    '\ufeff{}',
    '<x/>',
  ],
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0x00]),
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
  Buffer.from('{"metadata":{"name":"\xed\xa0\x80","labels":{"a":"\xf8\x88\x80\x80\x80"}}}', 'latin1'),
  Buffer.from('{"metadata":{"name":"x\0y"},"spec":{"\0":"\0"}}'),
  Buffer.alloc(10_000),
  Buffer.alloc(10_000, 0xff),
  gzipSync('{}'),
];

const mutations = 3_000;

export function* brokenBytes(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    for (const { method, path, type } of bodyTargets(servedApi, kind)) {
      for (const body of bodies) {
        if (random.below(3) === 0) yield sending(family, method, withQuery(path, dryRunQuery), body, { type });
      }
    }
  }
  const writable = servedApi.kinds.filter((kind) => bodyTargets(servedApi, kind).length > 0);
  for (let count = 0; count < mutations; count++) {
    const kind = random.pick(writable);
    const { method, path, type, sample } = random.pick(bodyTargets(servedApi, kind));
    const whole = type === patchTypes.merge ? newObject(kind) : { ...newObject(kind), ...sample };
    const body = mutated(Buffer.from(JSON.stringify(whole)), random);
    yield sending(family, method, withQuery(path, dryRunQuery), body, { type });
  }
}

/** Returns the bytes with a few of them changed, removed, duplicated or swapped. */
function mutated(bytes: Buffer, random: SeededRandom): Buffer {
  let result = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length);
    const end = Math.min(result.length, at + 1 + random.below(12));
    const interesting = Buffer.from(
      random.pick(['"', '{', '}', '[', ']', ',', ':', '\\', '\0', '\xff', '1e9', 'null', '-']),
    );
    const [before, piece, after] = [result.subarray(0, at), result.subarray(at, end), result.subarray(end)];
    result = Buffer.concat(
      random.pick([
        [before, after],
        [before, piece, piece, after],
        [before, interesting, after],
        [before, interesting, piece, after],
        [before, Buffer.from([random.below(256)]), after],
      ]),
    );
    if (result.length === 0) result = Buffer.from('x');
  }
  return result;
}
