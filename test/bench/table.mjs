import { availableParallelism, cpus } from 'node:os';

const headings = ['operation', 'rate/s', 'p50 ms', 'p99 ms', 'CPU ms', 'memory'];

function number(value, digits) {
  return value === undefined ? '' : value.toFixed(digits);
}

/** Rows come from measurements of time (rate, p50, p99, the server's processor time a call) or of memory (a text). */
export function printTable(rows) {
  const cells = rows.map(({ operation, rate, p50, p99, cpu, memory = '' }) => [
    operation,
    number(rate, 0),
    number(p50, 2),
    number(p99, 2),
    number(cpu, 2),
    memory,
  ]);
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at].length)));
  const line = (row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  console.log(line(headings));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of cells) console.log(line(row));
}

export function printMachine() {
  console.log(`${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`);
  console.log('Clients and server share them. CPU ms: processor time of the server for one call or event.');
}

export function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
