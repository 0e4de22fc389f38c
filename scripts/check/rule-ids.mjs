import { filesBelow, read } from './sources.mjs';
import { readChapters, readSections } from './spec.mjs';

/** Words that look like the prefix of a rule but are not. */
const otherWords = ['UTF'];

/** Reports citations of rules and completions that do not exist, and rules that are defined twice. */
export function checkRuleIds() {
  const { ids, problems } = definedRules(readChapters());
  const sections = readSections();
  const paths = [
    'README.md',
    'CONTRIBUTING.md',
    ...['packages', 'src', 'web', 'test', 'scripts', 'docs'].flatMap((folder) =>
      filesBelow(folder, '.ts', '.tsx', '.mjs', '.md', '.go', '.sh', '.py'),
    ),
  ].filter((path) => !/(^|\/)(node_modules|dist)\//.test(path));
  return [...problems, ...paths.flatMap((path) => unknownCitations(path, read(path), ids, sections))];
}

/** Returns the ids of all rules, and a problem for each repeated definition of a rule. */
export function definedRules(chapters) {
  const places = new Map();
  const problems = [];
  for (const { path, rules } of chapters) {
    for (const { id, line } of rules) {
      const first = places.get(id);
      if (first === undefined) places.set(id, `${path}:${line}`);
      else problems.push(`${path}:${line}: rule ${id} is already defined in ${first}`);
    }
  }
  return { ids: new Set(places.keys()), problems };
}

/**
 * Returns problems with the citations in a text: `WATCH-08`, `DEC-03…05`, `completions §5, §11` and `§2.1 of the
 * completions`.
 */
export function unknownCitations(path, text, ids, sections) {
  const problems = [];
  text.split('\n').forEach((line, index) => {
    const report = (problem) => problems.push(`${path}:${index + 1}: ${problem}`);
    for (const [, prefix, first, last] of line.matchAll(/(?<![\w-])([A-Z]{2,})-(\d\d)(?!\w)(?:…(\d\d)(?!\w))?/g)) {
      if (otherWords.includes(prefix)) continue;
      for (const number of [first, last]) {
        if (number === undefined || ids.has(`${prefix}-${number}`)) continue;
        report(`rule ${prefix}-${number} does not exist in docs/spec`);
      }
    }
    const cited = [
      ...line.matchAll(/completions\s+((?:§[\d.]+(?:, | and )?)+)/gi),
      ...line.matchAll(/((?:§[\d.]+(?:, | and )?)+) of the completions/gi),
    ];
    for (const [, list] of cited) {
      for (const [, section] of list.matchAll(/§(\d+(?:\.\d+)?)/g)) {
        if (!sections.has(section)) report(`section §${section} does not exist in docs/spec/completions.md`);
      }
    }
  });
  return problems;
}
