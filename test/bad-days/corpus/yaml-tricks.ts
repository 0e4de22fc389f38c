import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { bodyTargets, type ServedApi } from './served-api.ts';

const family = 'YAML tricks';

/** Returns a YAML bomb: each level contains several copies of the previous level. */
function bomb(levels: number, times: number, open = '[', close = ']'): string {
  const lines = [`a0: &a0 ${open}${open === '[' ? 'x' : 'x: y'}${close}`];
  for (let level = 1; level < levels; level++) {
    const members = Array.from({ length: times }, (_, n) => `${open === '[' ? '' : `m${n}: `}*a${level - 1}`);
    lines.push(`a${level}: &a${level} ${open}${members.join(', ')}${close}`);
  }
  return `${lines.join('\n')}\n`;
}

const tricks: readonly string[] = [
  bomb(10, 10),
  bomb(30, 2),
  bomb(20, 9, '{', '}'),
  bomb(3, 3_000),
  `spec: &s\n  inner: *s\n`,
  `metadata: &m {name: x, labels: *m}\n`,
  `a: &a {b: c}\nspec:\n  <<: [${'*a, '.repeat(2_000)}*a]\n`,
  `spec:\n  <<: 5\n`,
  `<<: &x {<<: *x}\n`,
  'spec: *nowhere\n',
  '&a [*a, *a]\n',
  'spec: !!js/function "function () { return 1 }"\n',
  'spec: !!js/regexp /(a+)+$/\n',
  'spec: !!python/object/apply:os.system ["true"]\n',
  'spec: !!binary "not base64 at all!"\n',
  'spec: !!timestamp 99999-99-99\n',
  'spec: !!set {a, b}\n',
  'spec: !!omap [a: 1]\n',
  '!!str metadata: {}\n',
  '? [complex, key]\n: value\n',
  '? {a: b}\n: value\n',
  'spec: {? [x] : y}\n',
  '%YAML 9.9\n---\nspec: {}\n',
  '%TAG ! tag:example.com,2000:\n---\nspec: !x {}\n',
  '---\nspec: {}\n---\nspec: {}\n',
  '--- |\n  text\n',
  '---\n...\n---\n',
  '',
  '\n\n\n',
  '# only a comment\n',
  '\tspec: {}\n',
  'spec:\n\t- x\n',
  'spec: "unclosed\n',
  "spec: 'unclosed\n",
  'spec: [unclosed\n',
  'spec: {unclosed\n',
  'spec: |9999\n  x\n',
  'spec: >-\n',
  'spec: @x\n',
  'spec: `x`\n',
  'a: b: c\n',
  '- - - - -\n',
  '{'.repeat(50_000),
  '- '.repeat(20_000),
  Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
  `spec: ${'"'.repeat(100_001)}`,
  `spec: ${'\\'.repeat(50_000)}`,
  `? ${'? '.repeat(5_000)}`,
  `spec: ${'&a '.repeat(5_000)}x\n`,
  `spec: ${'!t '.repeat(5_000)}x\n`,
  `${Array.from({ length: 20_000 }, (_, n) => `k${n}: &k${n} ${n}`).join('\n')}\n`,
  `${Array.from({ length: 20_000 }, (_, n) => `same: ${n}`).join('\n')}\n`,
  'spec: .nan\nmetadata: .inf\n',
  'spec: 0o777\nx: 0b11\ny: 1e1000\nz: 12:30:45\n',
  'apiVersion: ~\nkind: null\nmetadata: no\nspec: off\n',
  'kind: [Team]\napiVersion: {v: 1}\n',
  '"\\ud800": x\n',
  'spec: "\\u0000"\n',
  'spec: "\\UFFFFFFFF"\n',
  '\u0000\u0001\u0002\n',
  '\ufeff\ufeffspec: {}\n',
  'spec:\u0085  x: y\u2028z: 1\n',
];

export function* yamlTricks(servedApi: ServedApi): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    const targets = bodyTargets(servedApi, kind).filter(({ type }) => type !== 'application/merge-patch+json');
    for (const [index, text] of tricks.entries()) {
      const target = targets[index % targets.length];
      if (target === undefined) continue;
      const type = target.type === 'application/json' ? 'application/yaml' : target.type;
      yield sending(family, target.method, withQuery(target.path, dryRunQuery), text, { type });
    }
  }
}
