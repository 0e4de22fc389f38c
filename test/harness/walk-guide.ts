import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FlotillaProcess } from './flotilla-process.ts';

const root = new URL('../..', import.meta.url).pathname;

/** The reason why there is no curl on PATH, which commands of guides use; `undefined` if there is one. */
export const curlMissing = spawnSync('curl', ['--version']).status === 0 ? undefined : 'there is no curl on PATH';

/** Prepares a folder like the one in which the reader of a guide works. The data directory is `.flotilla` in it. */
export function prepareGuideFolder(folder: string): void {
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'bin/flotilla.js'), join(folder, 'bin/flotilla'));
}

/** Returns the text of a guide, or of one section of it. */
export function guideText(guide: string, section?: string): string {
  const whole = readFileSync(join(root, 'docs/guides', guide), 'utf8');
  if (section === undefined) return whole;
  return whole.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
}

/** Returns the code blocks of a language in a text, without their indentation. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, indentation = '', block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

/**
 * Returns the shell blocks of a text. If the guide shows the output of a block, its commands may fail, and their errors are
 * part of the output: a guide shows what the server refuses.
 */
export function blocksWithRefusals(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```\n(\n```text\n)?/gms)].map(([, block = '', shown]) =>
    shown === undefined ? block : `set +e\n{\n${block}} 2>&1\nset -e\n`,
  );
}

/** Runs shell blocks in order, as a reader would type them, with the address of this server. Returns the output. */
export async function runBlocks(
  blocks: readonly string[],
  { folder, flotilla }: { readonly folder: string; readonly flotilla: FlotillaProcess },
): Promise<string> {
  if (blocks.length === 0) throw new Error('the guide has no shell blocks');
  const script = blocks.join('\n').replaceAll('https://127.0.0.1:8443', flotilla.url);
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    KUBECONFIG: flotilla.kubeconfig,
    KUBECACHEDIR: join(folder, 'cache'),
    FLOTILLA_CONFIG: join(folder, 'logins.json'),
    FLOTILLA_URL: flotilla.url,
    FLOTILLA_CA_FILE: join(folder, '.flotilla/ca.crt'),
    FLOTILLA_ACCESS_KEY: flotilla.adminKey,
  };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
  return stdout;
}
