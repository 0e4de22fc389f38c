import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mebibytes, median } from './figures.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fileSystems = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0x794c7630, 'overlay'],
  [0x01021994, 'tmpfs'],
]);

/** A description of the machine and of the measured version. */
export function describeMachine(directory) {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMiB: Math.round(mebibytes(totalmem())),
    kernel: `Linux ${release()}`,
    node: process.version,
    fileSystem: fileSystems.get(statfsSync(directory).type) ?? 'unknown',
    syncMilliseconds: syncMilliseconds(directory),
    version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    commit: commit(),
  };
}

/** The time of one fsync, which is the lower bound for a durable write of one client. */
function syncMilliseconds(directory) {
  const folder = mkdtempSync(join(directory, 'sync-'));
  const file = openSync(join(folder, 'file'), 'w');
  const bytes = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 50 }, () => {
    const begun = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return median(times);
}

function commit() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const changed = git('status', '--porcelain', '--', 'src').trim() === '' ? '' : ', with changes';
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`;
  } catch {
    return 'unknown';
  }
}
