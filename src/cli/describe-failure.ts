import { projectOfNamespace } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import { CliError, exitCodes } from './cli-error.ts';
import { namedKinds, ownedAccessKeys } from './kinds.ts';
import { printable } from './output/printable.ts';

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** Faults of the server's own parts (start, backup, …) that the user can mend; known by name, as their code is not loaded here. */
const mendable: ReadonlySet<string> = new Set(['StartError', 'StoreError', 'SealError', 'BackupError']);

/** One line for what the user can mend; anything else is our fault and comes with its stack. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) return { text: oneLine(error.message), exitCode: error.exitCode };
  if (error instanceof StatusError) return describeStatus(error);
  if (!(error instanceof Error)) return { text: String(error), exitCode: exitCodes.error };
  // A file that cannot be read or written, a disk that is full: the message names it.
  if (mendable.has(error.name) || 'syscall' in error)
    return { text: oneLine(error.message), exitCode: exitCodes.error };
  return { text: error.stack ?? error.message, exitCode: exitCodes.error };
}

function describeStatus(error: StatusError): Failure {
  const said = oneLine(error.message);
  switch (error.code) {
    case 401:
      return {
        text: 'the server does not take the access key (it may have ended, or been disabled); log in again: flotilla login',
        exitCode: exitCodes.refused,
      };
    case 403:
      return { text: `${said}; flotilla whoami shows who you are, and with which key`, exitCode: exitCodes.refused };
    case 404:
      return { text: missing(error) ?? said, exitCode: exitCodes.notFound };
    case 408:
    case 504:
      return { text: `${said}; try again`, exitCode: exitCodes.timeout };
    case 429:
      return { text: `${said}; too much was asked at once, try again a little later`, exitCode: exitCodes.error };
    default:
      return { text: said, exitCode: exitCodes.error };
  }
}

/** In the words of this command line; undefined: it is nothing that has any here. */
function missing({ status }: StatusError): string | undefined {
  const { kind: plural = '', name = '' } = status.details ?? {};
  const project = plural === 'namespaces' ? projectOfNamespace(name) : undefined;
  if (project !== undefined)
    return `there is no project ${project}; flotilla project list shows those that you can see`;
  const kind = namedKinds.find((one) => one.plural === plural);
  if (kind === undefined || name === '') return undefined;
  // Whoever takes a key back in a hurry must not read that there is none.
  if (kind === ownedAccessKeys)
    return `you have no access key ${name}; flotilla access-key list shows yours, and administrators reach those of others with --all`;
  return `there is no ${kind.noun} ${name}; flotilla ${kind.command === '' ? '' : `${kind.command} `}list shows those that are there`;
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ')).trim();
}
