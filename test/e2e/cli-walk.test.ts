import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { codeBlocks, guideText, shellBlocks } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;

describeIfAvailable(kubectlMissing, 'the documentation of the CLI', () => {
  let folder: string;
  let home: CliHome;
  let flotilla: FlotillaProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'walk-'));
    for (const name of ['examples', 'bin']) symlinkSync(join(root, name), join(folder, name));
    home = cliHome({ KUBECACHEDIR: join(folder, 'cache') });
    // In a clone, npx finds the program of the clone. This folder is not a clone, so a replacement for npx runs the
    // program.
    writeFileSync(join(home.folder, 'bin', 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
    home.env.KUBECONFIG = flotilla.kubeconfig;
  });
  afterEach(async () => {
    await flotilla.remove();
    home.remove();
    rmSync(folder, { recursive: true });
  });

  /** Runs shell blocks in order, as a reader would type them, with this server's address. */
  async function walk(blocks: readonly string[]): Promise<string> {
    const script = blocks.join('\n').replaceAll('https://127.0.0.1:8443', flotilla.url);
    const env = { ...process.env, ...home.env };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    return stdout;
  }

  it('walks from login to delete with the commands of the README and of the guide that continues it', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const guide = guideText('first-steps.md');
    const start = /^## Create your first virtual cluster$(.*?)^## /ms.exec(readme)?.[1] ?? '';
    const section = `${start}${guide.split(/^## Try the direct endpoint$/m)[0]}`;
    const printed = (await walk(codeBlocks(section, 'sh'))).replaceAll(flotilla.url, 'https://127.0.0.1:8443');
    const shown = [...section.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, block = '']) => block.trim().split('\n'));
    const plain = (line: string) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replace(/\b\d+m?s$/, '(age)')
        .replaceAll(/127\.0\.0\.1:\d+/g, '(server)');
    const lines = printed.split('\n').map(plain);
    for (const line of shown) expect(lines).toContain(plain(line));
    expect(printed).not.toMatch(/flk_/);
  });

  it('has a guide whose commands replace the seal key', async () => {
    const printed = await walk(shellBlocks('encryption.md'));
    const needed = [...printed.matchAll(/^Needed keys: +(\S+)$/gm)].map(([, keys = '']) => keys);
    expect(needed).toHaveLength(3);
    expect(needed[0]).not.toBe(needed[1]);
    expect(needed[2]).toBe(needed[1]);
    expect(printed).toMatch(/^Rewrite: +finished at /m);
    expect(readFileSync(join(folder, '.flotilla/seal.key'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
  });

  it('has a guide whose commands work line by line', async () => {
    const printed = await walk(shellBlocks('command-line.md'));
    expect(printed).toMatch(/virtual cluster "review" deleted/);
    expect(printed).toMatch(/^flotilla \d+\.\d+\.\d+$/m);
  });
});
