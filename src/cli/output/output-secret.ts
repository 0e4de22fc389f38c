import { errorCode, writePrivateFile } from '../../lib/private-file.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';

/** Writes a secret to the private file that `--file` names, or prints it to standard output. */
export async function outputSecret(
  secret: string,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): Promise<void> {
  const file = values.text('file');
  const text = secret.endsWith('\n') ? secret : `${secret}\n`;
  if (file === undefined) {
    terminal.print(text);
    return;
  }
  try {
    await writePrivateFile(file, text);
  } catch (error) {
    throw new CliError(`cannot write ${file} (${errorCode(error) ?? 'unknown error'})`, { cause: error });
  }
  terminal.printToStderr(`written to ${file}, readable only by you\n`);
}
