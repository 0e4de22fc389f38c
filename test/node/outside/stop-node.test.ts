import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const groups = '/sys/fs/cgroup';
const mountPoints = ['/var/lib/cni', '/var/lib/containerd', '/var/lib/kubelet'];

describe('the node of test:node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stop-node-'));
  /** The mount points of the machine before the node starts. */
  let before: string[];

  beforeAll(() => {
    before = mountPoints.filter((path) => existsSync(path));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts the node and returns when its pods run. */
  async function startNode(command: readonly string[]) {
    const child = spawn('bash', ['test/node/run.sh', ...command], {
      env: { ...process.env, TMPDIR: folder, FLOTILLA_NODE_IMAGES: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    for await (const line of createInterface(child.stdout)) {
      if (line.includes('names are resolved')) break;
    }
    const [name = ''] = readdirSync(folder).filter((entry) => entry.startsWith('flotilla-node-'));
    expect(leftovers(name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^process/), `${groups}/pids/${name}`]),
    );
    return { child, exit, name };
  }

  /** Returns everything on the machine that belongs to the node. */
  function leftovers(name: string): string[] {
    const hierarchies = [groups, ...readdirSync(groups).map((each) => join(groups, each))];
    const files = [join(folder, name), ...hierarchies.map((each) => join(each, name))];
    const points = mountPoints.filter((path) => !before.includes(path));
    return [...[...files, ...points].filter((path) => existsSync(path)), ...processesOf(name)];
  }

  it('leaves nothing behind when it is killed', async () => {
    const { child, exit, name } = await startNode(['sleep', 'infinity']);
    child.kill('SIGKILL');
    await exit;
    await expect.poll(() => leftovers(name), { timeout: 60_000, interval: 200 }).toEqual([]);
  });

  it('leaves nothing behind when its command fails, and exits with the code of the command', async () => {
    const { exit, name } = await startNode(['sh', '-c', 'exit 7']);
    expect((await exit)[0]).toBe(7);
    expect(leftovers(name)).toEqual([]);
  });
});

/** Returns the processes with the name of the node in their command line. */
function processesOf(name: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(name) ? [`process ${pid}: ${line}`] : [];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    });
}
