// node test/bench/write-page.mjs <result.json>: writes docs/reference/performance.md from the result of a run.
import { readFileSync, writeFileSync } from 'node:fs';
import { performancePage } from './performance-page.mjs';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node test/bench/write-page.mjs <result.json>');
const page = new URL('../../docs/reference/performance.md', import.meta.url);
writeFileSync(page, performancePage(JSON.parse(readFileSync(file, 'utf8'))));
