import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const guides = readdirSync(join(root, 'docs/guides'));
const textOf = (guide: string) => readFileSync(join(root, 'docs/guides', guide), 'utf8');

/** Matches a line that a reader copies to a shell: it begins with one of these programs. */
const commands =
  /^ *(?:apt-get|aws|bash|curl|docker|export|flotilla|git|go|helm|kubectl|make|mkdir|node|npm|npx|openssl|promtool|skopeo|sudo|terraform|vcluster) /m;

/** Returns the code blocks of a guide with the words after the three backticks. */
function blocksOf(guide: string): { readonly info: string; readonly code: string }[] {
  return [...textOf(guide).matchAll(/^( *)```(.*)\n((?:.*\n)*?)\1```$/gm)].map(([, , info = '', code = '']) => ({
    info,
    code,
  }));
}

/**
 * Returns the sections of a guide that contain shell blocks and that tests must therefore run. The section '' is the
 * text before the first heading.
 */
function sectionsToRun(guide: string): string[] {
  const [introduction = '', ...sections] = textOf(guide).split(/^## /m);
  const named = [['', introduction], ...sections.map((section) => [section.split('\n', 1)[0], section])];
  return named.flatMap(([title = '', section = '']) => (/^ *```sh$/m.test(section) ? [title] : []));
}

/**
 * The guides and sections that tests run: the arguments of `shellBlocks` calls, and the guides named in the script of
 * the README test.
 */
const runs = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).flatMap((path) => {
  const isScript = path.endsWith('.sh');
  if (!isScript && !path.endsWith('.test.ts')) return [];
  const call = isScript
    ? /docs\/guides\/([\w-]+\.md)/g
    : /shellBlocks(?:WithRefusals)?\(\s*'([\w-]+\.md)',?\s*(?:'([^']*)')?/g;
  return [...readFileSync(join(root, 'test', path), 'utf8').matchAll(call)].map(([, guide, section]) => ({
    guide,
    section,
  }));
});

it.each(guides)('tests run all shell blocks of %s', (guide) => {
  const missed = sectionsToRun(guide).filter(
    (title) => !runs.some((run) => run.guide === guide && (run.section === undefined || run.section === title)),
  );
  expect(missed).toEqual([]);
});

it('tests run no section that does not exist', () => {
  const unknown = runs.filter(
    ({ guide = '', section }) => section !== undefined && !sectionsToRun(guide).includes(section),
  );
  expect(unknown).toEqual([]);
});

it.each(guides)('each block with commands in %s is a shell block, and gives the reason if no test runs it', (guide) => {
  for (const { info, code } of blocksOf(guide)) {
    if (commands.test(code)) expect(info).toMatch(/^(?:sh|yaml)$|^sh not-run: \w+ .{10,}$/);
    else expect(info).not.toMatch(/^sh /);
  }
});

it('few blocks of the guides are not run', () => {
  const marked = guides.flatMap((guide) => blocksOf(guide).filter(({ info }) => info.startsWith('sh not-run: ')));
  expect(marked.length).toBeGreaterThan(0);
  expect(marked.length).toBeLessThanOrEqual(7);
});
