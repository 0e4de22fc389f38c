// node test/bench/top-costs.mjs <file.cpuprofile | file.heapprofile> [count]: prints the functions that took the most
// time or allocated the most, by themselves and with their callees. Locations refer to the sources if the profiled
// program is still at its path.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const [file, count = '40'] = process.argv.slice(2);
const profile = JSON.parse(readFileSync(file, 'utf8'));
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

/** A tree of locations and the milliseconds that each took by itself. */
function timeTree({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, { location: placeOf(node.callFrame), self: 0, children: [] }]));
  for (const node of nodes) byId.get(node.id).children = (node.children ?? []).map((id) => byId.get(id));
  samples.forEach((id, at) => {
    byId.get(id).self += timeDeltas[at] / 1000;
  });
  return byId.get(nodes[0].id);
}

/** A tree of locations and the kilobytes that each allocated by itself. */
function heapTree({ callFrame, selfSize, children }) {
  return { location: placeOf(callFrame), self: selfSize / 1024, children: children.map(heapTree) };
}

const isHeap = profile.head !== undefined;
const unit = isHeap ? 'kB' : 'ms';
const own = new Map();
const whole = new Map();
const add = (sums, location, cost) => sums.set(location, (sums.get(location) ?? 0) + cost);

/** Adds up costs including callees. A recursive location is counted once. */
function visit(node, above) {
  add(own, node.location, node.self);
  const isOuter = !above.has(node.location);
  if (isOuter) above.add(node.location);
  let cost = node.self;
  for (const child of node.children) cost += visit(child, above);
  if (isOuter) {
    above.delete(node.location);
    add(whole, node.location, cost);
  }
  return cost;
}

const total = visit(isHeap ? heapTree(profile.head) : timeTree(profile), new Set());
const counted = total - (own.get('(idle) ') ?? 0);
const print = (title, sums) => {
  console.log(`\n${title} (of ${counted.toFixed(0)} ${unit}${isHeap ? ' allocated' : ' that it was busy'})`);
  const sorted = [...sums].filter(([location]) => !/^\((idle|root)\)/.test(location)).sort(([, a], [, b]) => b - a);
  for (const [location, cost] of sorted.slice(0, Number(count))) {
    const share = ((100 * cost) / counted).toFixed(1).padStart(5);
    console.log(`${share} %  ${cost.toFixed(0).padStart(7)} ${unit}  ${location}`);
  }
};
print('by itself', own);
print('with what it called', whole);
