import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FlotillaProcess } from './flotilla-process.ts';

const root = new URL('../..', import.meta.url).pathname;

/**
 * The reason why tests of guides with curl commands cannot run: there is no curl on PATH. `undefined` if there is one.
 */
export const curlMissing = spawnSync('curl', ['--version']).status === 0 ? undefined : 'there is no curl on PATH';

/**
 * Prepares a folder in which the commands of a guide run as in a clone of the repository. The data directory is
 * `.flotilla` in the folder.
 */
export function prepareGuideFolder(folder: string): void {
  for (const name of ['examples', 'bin']) symlinkSync(join(root, name), join(folder, name));
}

/** Returns the text of a guide, or of one section. The section '' is the text before the first section. */
export function guideText(guide: string, section?: string): string {
  const whole = readFileSync(join(root, 'docs/guides', guide), 'utf8');
  if (section === undefined) return whole;
  const [introduction = '', ...sections] = whole.split(/^## /m);
  return section === '' ? introduction : (sections.find((one) => one.startsWith(`${section}\n`)) ?? '');
}

/** Returns the code blocks of a language in a text, without their indentation. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, indentation = '', block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

/**
 * Returns the shell blocks of a guide, or of one section, for a test that runs all of them.
 * test/program/guides-run.test.ts finds the calls of this function in the test sources, so the arguments must be
 * literals.
 */
export function shellBlocks(guide: string, section?: string): string[] {
  const blocks = codeBlocks(guideText(guide, section), 'sh');
  if (blocks.length === 0)
    throw new Error(`${guide} has no shell blocks${section === undefined ? '' : ` in ${section}`}`);
  return blocks;
}

/**
 * Returns the shell blocks of a guide. If the guide shows the output of a block, the commands of that block may fail,
 * and their error output counts as output.
 */
export function shellBlocksWithRefusals(guide: string): string[] {
  return [...guideText(guide).matchAll(/^```sh\n(.*?)^```\n(\n```text\n)?/gms)].map(([, block = '', shown]) =>
    shown === undefined ? block : `set +e\n{\n${block}} 2>&1\nset -e\n`,
  );
}

/** The commands of docs/README.md that prepare a reader's shell for every guide. */
const preparation = codeBlocks(readFileSync(join(root, 'docs/README.md'), 'utf8'), 'sh').join('\n');

/**
 * A shell function that runs `flotilla start` and `flotilla agent` in the background and waits until they are ready,
 * where a reader would use another terminal. The script stops them at its end.
 */
const otherTerminals = `
started=0
flotilla() {
  if [ "$1" != start ] && [ "$1" != agent ]; then command flotilla "$@"; return; fi
  started=$((started + 1))
  local log="program-$started.log" program
  command flotilla "$@" >"$log" 2>&1 &
  program=$!
  until grep -q '^ready ' "$log"; do
    if ! kill -0 "$program" 2>/dev/null; then cat "$log" >&2; return 1; fi
    read -r -t 0.1 <> <(:) || true
  done
}
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
`;

export interface RunBlocksOptions {
  readonly folder: string;
  readonly flotilla: Pick<FlotillaProcess, 'url'>;
  /**
   * The replacements that a reader would make, such as addresses, paths and tokens. Each key is a text in the blocks.
   * Optional.
   */
  readonly replace?: Readonly<Record<string, string>>;
  /** True if the commands need no login, for example because no server runs. Optional; defaults to false. */
  readonly isLoggedOut?: boolean;
}

/** Runs shell blocks in order, as a reader would type them, with the address of this server. Returns the output. */
export async function runBlocks(
  blocks: readonly string[],
  { folder, flotilla, replace = {}, isLoggedOut = false }: RunBlocksOptions,
): Promise<string> {
  if (blocks.length === 0) throw new Error('the guide has no shell blocks');
  let script = blocks.join('\n');
  for (const [text, value] of Object.entries(replace)) {
    if (!script.includes(text)) throw new Error(`the guide does not contain ${text}`);
    script = script.replaceAll(text, value);
  }
  const before = isLoggedOut ? preparation.replaceAll(/^flotilla login .*$/gm, '') : preparation;
  script = [`{\n${before}\n} >/dev/null`, otherTerminals, script]
    .join('\n')
    .replaceAll('https://127.0.0.1:8443', flotilla.url);
  const env = { ...process.env, KUBECACHEDIR: join(folder, 'cache'), FLOTILLA_CONFIG: join(folder, 'logins.json') };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
  return stdout;
}
