import { stat } from 'node:fs/promises';
import { StatusError } from '../../api/status.ts';
import { errorCode, type PreparedFile, preparePrivateFile, writePrivateFile } from '../../lib/private-file.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';

/** Writes a secret to the private file that `--file` names, or prints it to standard output. */
export async function outputSecret(
  secret: string,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): Promise<void> {
  const file = values.text('file');
  if (file === undefined) {
    terminal.print(lineOf(secret));
    return;
  }
  try {
    await writePrivateFile(file, lineOf(secret));
  } catch (error) {
    throw cannotWrite(file, error);
  }
  terminal.printToStderr(`written to ${file}, readable only by you\n`);
}

/**
 * Outputs a secret that becomes valid when `activate` succeeds. If the file that `--file` names cannot be written,
 * `activate` is not called. The file changes only after `activate` has succeeded. If it is unknown whether `activate`
 * succeeded, the secret stays in another file, which the error names.
 */
export async function outputSecretAfter(
  secret: string,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
  activate: () => Promise<unknown>,
): Promise<void> {
  const file = values.text('file');
  if (file === undefined) {
    await activate();
    terminal.print(lineOf(secret));
    return;
  }
  const prepared = await prepare(file, secret);
  const keep = (what: string, error: unknown) =>
    new CliError(`${what}; the new value is in ${prepared.temporary}`, { cause: error });
  try {
    await activate();
  } catch (error) {
    if (isServerFault(error)) throw keep(`${messageOf(error)}; the server may have accepted the new value`, error);
    await prepared.discard();
    throw error;
  }
  try {
    await prepared.commit();
  } catch (error) {
    throw keep(cannotWrite(file, error).message, error);
  }
  terminal.printToStderr(`written to ${file}, readable only by you\n`);
}

async function prepare(file: string, secret: string): Promise<PreparedFile> {
  try {
    // Reject a directory before the secret becomes valid, because renaming a file to the name of a directory would fail
    // only afterwards.
    const isDirectory = await stat(file).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isDirectory) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    return await preparePrivateFile(file, lineOf(secret));
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * True if the request failed without an answer of the server. It is then unknown whether the server has made the
 * change.
 */
function isServerFault(error: unknown): boolean {
  return !(error instanceof StatusError) || error.code >= 500;
}

function cannotWrite(file: string, error: unknown): CliError {
  return new CliError(`cannot write ${file} (${errorCode(error) ?? 'unknown error'})`, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lineOf(secret: string): string {
  return secret.endsWith('\n') ? secret : `${secret}\n`;
}
