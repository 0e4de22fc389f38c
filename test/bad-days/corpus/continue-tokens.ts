import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, sending, withQuery } from './bad-request.ts';
import { collectionPath, type ServedApi } from './served-api.ts';

const family = 'continue tokens';

const documents = [
  ...['', '{}', '[]', 'null', '5', '"x"', '{', '{"v":"meta.k8s.io/v1"}', '{"v":"meta.k8s.io/v9","rv":1,"start":"x"}'],
  ...[
    '{"v":"meta.k8s.io/v1","rv":-1,"start":"x"}',
    '{"v":"meta.k8s.io/v1","rv":0,"start":"x"}',
    '{"v":5,"rv":"x","start":[]}',
  ],
  ...['{"v":"meta.k8s.io/v1","rv":9007199254740993,"start":"x"}', '{"v":"meta.k8s.io/v1","rv":1e999,"start":"x"}'],
  ...['{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}', '{"v":"meta.k8s.io/v1","rv":1,"start":"\\u0000"}'],
  ...[
    '{"v":"meta.k8s.io/v1","rv":1,"start":"\\ud800"}',
    '{"v":"meta.k8s.io/v1","rv":1,"start":""}',
    '{"__proto__":{"rv":1}}',
  ],
  ...[
    '{"v":"meta.k8s.io/v1","rv":1,"start":"a/b/c/d/e/f"}',
    `{"v":"meta.k8s.io/v1","rv":1,"start":"${'x'.repeat(9_000)}"}`,
  ],
  '['.repeat(9_000),
];

export function* continueTokens(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    if (!kind.collectionMethods.includes('get')) continue;
    const path = collectionPath(servedApi, kind);
    for (const document of documents) {
      const token = Buffer.from(document).toString(random.pick(['base64', 'base64url', 'hex', 'latin1']));
      const option = `continue=${encodeURIComponent(token)}`;
      const more = random.pick([[], ['limit=1'], ['resourceVersion=1'], ['resourceVersion=0'], ['watch=true']]);
      yield sending(family, 'GET', withQuery(path, option, ...more), undefined);
    }
    for (let count = 0; count < 8; count++) {
      const noise = Array.from({ length: 40 }, () => String.fromCharCode(33 + random.below(90))).join('');
      yield sending(family, 'GET', withQuery(path, `continue=${encodeURIComponent(noise)}`), undefined);
    }
  }
}
