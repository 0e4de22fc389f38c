// node test/bench/write-page.mjs [<result.json> [<cold.json>]] [--replicas <replicas.json>]: writes
// docs/reference/performance.md. The inputs are the result of a full run, the result of a second run with --scale 0.2
// (the column "cold"), and the result of "npm run bench replicas". A part of the page without a result stays unchanged.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { performancePage } from './performance-page.mjs';
import { replicasHeading, replicasSection } from './replicas-page.mjs';

const { values, positionals } = parseArgs({ options: { replicas: { type: 'string' } }, allowPositionals: true });
const [file, coldFile] = positionals;
if (file === undefined && values.replicas === undefined) {
  throw new Error('usage: node test/bench/write-page.mjs [<result.json> [<cold.json>]] [--replicas <replicas.json>]');
}
const page = new URL('../../docs/reference/performance.md', import.meta.url);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const written = readFileSync(page, 'utf8');
const [main, section] = written.split(`\n${replicasHeading}\n`);
const newMain = file === undefined ? `${main.trimEnd()}\n` : performancePage(read(file), coldFile && read(coldFile));
const kept = section === undefined ? '' : `${replicasHeading}\n${section}`;
const newSection = values.replicas === undefined ? kept : replicasSection(read(values.replicas));
writeFileSync(page, newSection === '' ? newMain : `${newMain}\n${newSection}`);
