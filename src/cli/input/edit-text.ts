import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';

/** Opens a text in the user's editor and returns the edited text. The temporary file is private and is deleted. */
export async function editText(
  text: string,
  name: string,
  { environment }: Pick<CommandCall, 'environment'>,
): Promise<string> {
  const editor = environment.KUBE_EDITOR || environment.VISUAL || environment.EDITOR || 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-edit-'));
  try {
    const file = join(folder, `${name.replaceAll(/[^a-z0-9.-]/gi, '-')}.yaml`);
    await writeFile(file, text, { mode: 0o600 });
    await runEditor(editor, file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the editor in a shell, because $EDITOR may be a command line (`code --wait`). */
function runEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const failed = (why: string) =>
      new CliError(`the editor "${editor}" ${why}`, { next: 'set EDITOR to another editor' });
    child.once('error', () => reject(failed('cannot be started')));
    child.once('close', (code) => (code === 0 ? resolve() : reject(failed(`exited with code ${code}`))));
  });
}
