import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../api/naming.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The build directory. It is in the project directory, so the bundle finds its packages. It is not dist/, so the tests
// do not change dist/.
const built = join(root, '.cache', `cli-${process.pid}`);
const program = `const { main } = await import(${JSON.stringify(`${built}/flotilla.js`)}); await main(['', '', ...process.argv.slice(1)]);`;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'build.mjs'), built]);
}, 60_000);
afterAll(() => rm(built, { recursive: true, force: true }));

let directory: string;
let children: ChildProcess[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out: string;
  err: string;
  /** Resolves once the stream contains the text; rejects if the process ends first. */
  until(stream: 'out' | 'err', text: string): Promise<void>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args], { cwd: directory });
  children.push(child);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const result: Run = {
    child,
    ended,
    out: '',
    err: '',
    until: (stream, text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (result[stream].includes(text)) resolve();
        };
        child.stdout.on('data', check);
        child.stderr.on('data', check);
        void ended.then(() => reject(new Error(`ended before "${text}": ${result.out}${result.err}`)));
        check();
      }),
  };
  child.stdout.on('data', (chunk) => (result.out += chunk));
  child.stderr.on('data', (chunk) => (result.err += chunk));
  return result;
}

describe('flotilla', () => {
  it('prints the version', async () => {
    const version = run('version', '--client');
    expect(await version.ended).toBe(0);
    expect(version.out).toMatch(/^flotilla \d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['start', '--colour', 'red'], 2, "unknown option '--colour'"],
    [['fly'], 2, "unknown command 'fly'"],
    [['restore', 'x'], 2, '--data-dir'],
    [['start', '--listen', 'nowhere'], 1, '--listen: "nowhere" is not host:port'],
    [['start', '--config', 'config.yaml'], 1, 'config.yaml: "colour" is not a known setting'],
    [['start', '--data-dir', 'config.yaml'], 1, 'config.yaml cannot be used: it is a file'],
    [['backup', 'file'], 1, 'nothing to back up'],
  ])('refuses %j with one clear line', async (args, code, line) => {
    await writeFile(join(directory, 'config.yaml'), 'colour: red\n');
    const refused = run(...args);
    expect(await refused.ended).toBe(code);
    expect(refused.out).toBe('');
    expect(refused.err).toMatch(/^flotilla: [^\n]+\n$/);
    expect(refused.err).toContain(line);
  });
});

const watchPath = `/kubernetes/management/apis/${managementGroup}/v1/users?watch=true`;

async function call(server: Run, path: string, method: string, headers: Record<string, string> = {}) {
  const url = /^ready (\S+)$/m.exec(server.out)?.[1] ?? '';
  const key = (await readFile(join(directory, '.flotilla', 'admin.key'), 'utf8')).trim();
  const ca = await readFile(join(directory, '.flotilla', 'ca.crt'));
  return request(`${url}${path}`, {
    method,
    ca,
    agent: false,
    headers: { ...headers, authorization: `Bearer ${key}` },
  });
}

describe('flotilla start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves, and drains on %s: watches end cleanly and it exits with 0 within 10 s',
    async (signal) => {
      const server = run('start', '--listen', '127.0.0.1:0');
      await server.until('out', 'explain');
      expect(server.out.split('\n')).toEqual([
        expect.stringMatching(/^ready https:\/\/127\.0\.0\.1:\d+$/),
        expect.stringMatching(/^ {2}kubectl --kubeconfig \.flotilla\/admin\.kubeconfig get /),
        expect.stringMatching(/^ {2}kubectl --kubeconfig \.flotilla\/admin\.kubeconfig explain /),
        '',
      ]);
      const watching = await call(server, watchPath, 'GET');
      watching.end();
      const [response] = await once(watching, 'response');
      expect(response.statusCode).toBe(200);
      response.resume();
      const watchEnded = once(response, 'end');
      const began = performance.now();
      server.child.kill(signal);
      expect(await server.ended).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      await watchEnded;
      expect(response.complete).toBe(true);
    },
    30_000,
  );

  it('exits immediately on a second signal', async () => {
    const server = run('start', '--listen', '127.0.0.1:0');
    await server.until('out', 'explain');
    // Send a request whose body never ends. The drain waits for this request.
    const sending = await call(server, watchPath.split('?')[0] ?? '', 'POST', {
      'content-length': '100',
      expect: '100-continue',
    });
    sending.on('error', () => {});
    sending.flushHeaders();
    await once(sending, 'continue');
    server.child.kill('SIGTERM');
    await server.until('err', 'shutting down');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(1);
  }, 30_000);
});
