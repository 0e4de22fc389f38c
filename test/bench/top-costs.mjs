// node test/bench/top-costs.mjs <file.cpuprofile> [count]: the functions that took the most time, by themselves and with
// all they called. Places are those of the sources where the profiled program still lies where it was.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const [file, count = '40'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const maps = new Map();

function mapOf(url) {
  if (!maps.has(url)) {
    const path = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
    maps.set(url, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined);
  }
  return maps.get(url);
}

function placeOf({ functionName, url, lineNumber, columnNumber }) {
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
  const source = entry?.originalSource?.replace(/^.*?(src|node_modules)\//, '$1/');
  const where = source === undefined ? basename(url) || url : `${source}:${entry.originalLine + 1}`;
  return `${functionName || '(anonymous)'} ${where}`;
}

const byId = new Map(nodes.map((node) => [node.id, { ...node, place: placeOf(node.callFrame), self: 0 }]));
samples.forEach((id, at) => {
  byId.get(id).self += timeDeltas[at] / 1000;
});

const own = new Map();
const whole = new Map();
const add = (sums, place, time) => sums.set(place, (sums.get(place) ?? 0) + time);

/** Time with all that was called; a place that called itself is counted once. */
function visit(node, above) {
  add(own, node.place, node.self);
  const isOuter = !above.has(node.place);
  if (isOuter) above.add(node.place);
  let time = node.self;
  for (const id of node.children ?? []) time += visit(byId.get(id), above);
  if (isOuter) {
    above.delete(node.place);
    add(whole, node.place, time);
  }
  return time;
}

const total = visit(byId.get(nodes[0].id), new Set());
const idle = own.get('(idle) ') ?? 0;
const busy = total - idle;
const print = (title, sums) => {
  console.log(`\n${title} (of ${busy.toFixed(0)} ms that it was busy)`);
  const sorted = [...sums].filter(([place]) => !/^\((idle|root)\)/.test(place)).sort(([, a], [, b]) => b - a);
  for (const [place, time] of sorted.slice(0, Number(count))) {
    console.log(`${((100 * time) / busy).toFixed(1).padStart(5)} %  ${time.toFixed(0).padStart(7)} ms  ${place}`);
  }
};
print('by itself', own);
print('with what it called', whole);
