import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, type ServedApi } from './served-api.ts';

const labels = [
  ...[
    '=',
    '==',
    '!=',
    '!',
    'a=',
    '=b',
    'a==b==c',
    'a=b,',
    ',a=b',
    ',,',
    'a in',
    'a in (',
    'a in ()',
    'a in (b',
    'a in b)',
    'in',
  ],
  ...[
    'a in (b,c',
    'a in (b c)',
    'a notin',
    'notin (a)',
    'a in (,)',
    'a in (b),',
    'a exists',
    'a b',
    '!a=b',
    '!!a',
    '(',
    ')',
    '()',
  ],
  ...[
    'a=b c=d',
    'a>b',
    'a<b',
    'a>',
    '>5',
    'a>5.5',
    'a<-9223372036854775809',
    'a>1e9',
    'a=b=c',
    'A/B/C=d',
    '/a=b',
    'a/=b',
    '-a=b',
  ],
  ...[
    'a=-',
    'a=_',
    'a=..',
    'a=b..',
    'ä=b',
    'a=ö',
    '__proto__=x',
    'constructor in (prototype)',
    'a\u0000=b',
    'a=\u0000',
    '\ud83e',
  ],
  ...[
    'x'.repeat(20_000),
    'a='.repeat(5_000),
    'a=b,'.repeat(3_000),
    `a in (${'b,'.repeat(5_000)}b)`,
    '('.repeat(10_000),
    '!'.repeat(10_000),
  ],
  ...[
    `${'a'.repeat(254)}/b=c`,
    `a=${'b'.repeat(64)}`,
    `${' '.repeat(20_000)}a`,
    'a in (((b)))',
    'a,b,!c,d in (e),f notin (g),h>1,i<x',
  ],
];

const fields = [
  ...[
    '=',
    '==',
    'metadata.name',
    'metadata.name=',
    '=x',
    'metadata.name==a==b',
    'metadata.name!=',
    'spec.nothing=x',
    '.=x',
    '..=x',
  ],
  ...[
    'metadata.name=a,metadata.name=b',
    'metadata.name=a\\',
    'metadata.name=\\,\\=',
    'metadata.name in (a)',
    'metadata.uid=x',
  ],
  ...[
    'metadata.namespace=../x',
    'status.phase=x',
    '__proto__=x',
    'constructor.prototype=x',
    'metadata.labels[a]=b',
    'kind=x',
    '\\',
  ],
  ...[
    `metadata.name=${'x'.repeat(20_000)}`,
    'metadata.name=x,'.repeat(2_000),
    '\\,'.repeat(5_000),
    'metadata.name=%00',
    'a=b,,c=d',
  ],
];

/** Selectors with syntax errors, with unsupported fields, and with expensive parsing. */
export function* selectors(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    if (!kind.collectionMethods.includes('get')) continue;
    const path = collectionPath(servedApi, kind);
    for (const [name, all] of [['labelSelector', labels] as const, ['fieldSelector', fields] as const]) {
      for (const selector of all) {
        const option = `${name}=${encodeURIComponent(selector.toWellFormed())}`;
        const places: readonly (readonly [method: string, target: string])[] = [
          ['GET', withQuery(path, option)],
          ['GET', withQuery(path, 'watch=true', option)],
          ['DELETE', withQuery(path, dryRunQuery, option)],
        ];
        const [method, target] = random.pick(places);
        yield sending('selectors', method, target, undefined);
      }
    }
  }
}
