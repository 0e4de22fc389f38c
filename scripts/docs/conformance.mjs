import { notApplicable, sections } from '../../test/conformance/rules.mjs';
import { filesBelow, read } from '../check/sources.mjs';

const two = (number) => String(number).padStart(2, '0');

/** Every rule, and the tests that carry its id, or why it does not apply. */
export function conformancePage() {
  const proofs = testsByRule();
  const body = [];
  const total = { rules: 0, apply: 0, tested: 0 };
  for (const [title, ranges] of sections) {
    const rows = [];
    let applying = 0;
    let tested = 0;
    for (const id of ranges.flatMap(idsOf)) {
      const files = proofs.get(id);
      const reason = notApplicable[id];
      total.rules += 1;
      if (files !== undefined || reason === undefined) applying += 1;
      if (files !== undefined) tested += 1;
      rows.push(`| ${id} | ${files === undefined ? (reason ?? '**no test yet**') : [...files].sort().join('<br>')} |`);
    }
    total.apply += applying;
    total.tested += tested;
    body.push(`## ${title}`, '', `${tested} of ${applying} that apply are tested.`, '');
    body.push('| rule | tested in, or why it does not apply |', '| --- | --- |', ...rows, '');
  }
  const share = ((100 * total.tested) / total.apply).toFixed(1);
  return [
    '# Conformance',
    '',
    'Made by `npm run docs` from the tests: a test that proves a rule of how a Kubernetes API server behaves carries the',
    `rule’s id. Of ${total.rules} rules ${total.apply} apply here, and ${total.tested} of those (${share} %) are tested.`,
    '',
    ...body,
  ].join('\n');
}

function idsOf([prefix, first, last]) {
  return Array.from({ length: last - first + 1 }, (_, index) => `${prefix}-${two(first + index)}`);
}

/** `REQ-01`, and ranges such as `REQ-01…07` or `REQ-01 to REQ-07`. */
function testsByRule() {
  const proofs = new Map();
  const add = (id, path) => proofs.set(id, (proofs.get(id) ?? new Set()).add(path));
  const paths = [...filesBelow('src', '.test.ts'), ...filesBelow('test', '.test.ts', '_test.go')];
  for (const path of paths) {
    const text = read(path);
    for (const [, prefix, number] of text.matchAll(/\b([A-Z]+)-(\d\d)\b/g)) add(`${prefix}-${number}`, path);
    for (const [, prefix, first, last] of text.matchAll(/\b([A-Z]+)-(\d\d)(?:…| to [A-Z]+-)(\d\d)\b/g)) {
      for (const id of idsOf([prefix, Number(first), Number(last)])) add(id, path);
    }
  }
  return proofs;
}
