// node scripts/package/check-tag.mjs TAG: fails if a tag such as v0.1.0 is not the version in package.json, or if
// CHANGELOG.md has no section for the version.
import { readFile } from 'node:fs/promises';

const read = (name) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(await read('package.json'));
const problems = [];
if (tag !== `v${version}`) problems.push(`the tag is ${JSON.stringify(tag)}, but package.json has version ${version}`);
if (!(await read('CHANGELOG.md')).includes(`\n## ${version}`))
  problems.push(`CHANGELOG.md has no section "## ${version}"; move the entries of "Unreleased" there`);
for (const problem of problems) console.error(`check-tag: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
