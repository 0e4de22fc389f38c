import { describe, expect, it } from 'vitest';
import { missingPaths } from '../../scripts/check/doc-paths.mjs';
import { definedRules, unknownCitations } from '../../scripts/check/rule-ids.mjs';
import { parseChapter } from '../../scripts/check/spec.mjs';

// Ids of missing rules are joined from parts, because the check of rule ids also reads this file.
const missing = ['WATCH', '99'].join('-');
const missingPrefix = ['WACTH', '08'].join('-');
const ids = new Set(['WATCH-08', 'DEC-03', 'DEC-04', 'DEC-05']);
const sections = new Set(['2', '2.1', '5', '11']);

describe('the check of rule ids', () => {
  it('reports an id that does not exist, with file and line', () => {
    const text = `first line\nit('streams (${missing})')`;
    expect(unknownCitations('src/x.test.ts', text, ids, sections)).toEqual([
      `src/x.test.ts:2: rule ${missing} does not exist in docs/spec`,
    ]);
  });

  it('reports an unknown prefix and the end of a range', () => {
    const text = `${missingPrefix} DEC-03…06`;
    expect(unknownCitations('a.md', text, ids, sections)).toEqual([
      `a.md:1: rule ${missingPrefix} does not exist in docs/spec`,
      `a.md:1: rule ${['DEC', '06'].join('-')} does not exist in docs/spec`,
    ]);
  });

  it('accepts rules, ranges and words that only look like rules', () => {
    const text = 'WATCH-08, DEC-03…05, DEC-03 to DEC-05, UTF-16, SHA-256, X-ABC-12, 2026-08-20';
    expect(unknownCitations('a.md', text, ids, sections)).toEqual([]);
  });

  it('reports a section of the completions that does not exist', () => {
    const cited = (...list: string[]) => list.map((number) => `§${number}`).join(', ');
    const text = [
      `completions ${cited('5', '11')}`,
      `completions ${cited('2.1', '2.9')}`,
      `${cited('40')} of the completions`,
    ];
    expect(unknownCitations('a.ts', text.join('\n'), ids, sections)).toEqual([
      'a.ts:2: section §2.9 does not exist in docs/spec/completions.md',
      'a.ts:3: section §40 does not exist in docs/spec/completions.md',
    ]);
  });

  it('reports a rule that is defined twice', () => {
    const chapters = [
      parseChapter('a.md', '# 1. A (GET)\n\n## GET-01\n\nx\n'),
      parseChapter('b.md', '# B\n\n## GET-01\n'),
    ];
    expect(definedRules(chapters).problems).toEqual(['b.md:3: rule GET-01 is already defined in a.md:3']);
  });
});

describe('a chapter of rules', () => {
  it('has a title and the first sentence of each rule', () => {
    const text = [
      '# 8. Watch (WATCH)',
      '## WATCH-01',
      '',
      'A `a. b` (c. d) → 422 "e. f" is sent',
      'at once. More. [EP/x.go]',
      '## WATCH-02',
      '',
      'Only "g." [EP/y.go]',
    ].join('\n');
    const { title, rules } = parseChapter('08.md', text);
    expect(title).toBe('Watch');
    expect(rules).toEqual([
      { id: 'WATCH-01', line: 2, summary: 'A `a. b` (c. d) → 422 "e. f" is sent at once.' },
      { id: 'WATCH-02', line: 6, summary: 'Only "g."' },
    ]);
  });
});

describe('the check of file names in docs', () => {
  const present = ['src/registry/verbs/create.ts', 'docs/guides/access.md', 'src/auth/authz'];
  const files = {
    exists: (path: string) => present.includes(path.replace(/\/$/, '')),
    names: new Set(['create.ts']),
    sourceFolders: ['registry', 'auth'],
  };
  const problems = (text: string) => missingPaths('docs/guides/x.md', text, files);

  it('accepts paths relative to the root, to src and to the page, bare names and folders', () => {
    expect(
      problems('`src/registry/verbs/create.ts` `registry/verbs/create.ts` `access.md` `create.ts` `auth/authz/`'),
    ).toEqual([]);
    expect(problems('`src/registry/verbs/create.ts:12` `../guides/access.md`')).toEqual([]);
  });

  it('reports files and folders that do not exist', () => {
    expect(problems('x\n`registry/gone.ts` and `gone.ts`,\n`src/gone` or `auth/gone/`')).toEqual([
      'docs/guides/x.md:2: the file registry/gone.ts does not exist',
      'docs/guides/x.md:2: the file gone.ts does not exist',
      'docs/guides/x.md:3: the file src/gone does not exist',
      'docs/guides/x.md:3: the file auth/gone/ does not exist',
    ]);
  });

  it('skips code blocks, placeholders, URL paths and files of users', () => {
    expect(
      problems('```sh\ncat `src/gone.ts`\n```\n`src/<name>.ts` `src/*.ts` `/etc/x.json` `api/v1` `data.json`'),
    ).toEqual([]);
  });
});
