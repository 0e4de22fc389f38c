import { apiWordVariable } from '../api/api-word.ts';
import { apiWord, projectOfNamespace } from '../api/naming.ts';
import { pathNotFound, StatusError } from '../api/status.ts';
import { CliError, exitCodes } from './cli-error.ts';
import { commandPath, namedKinds, ownedAccessKeys } from './kinds.ts';
import { escapeControlCharacters } from './output/escape-controls.ts';

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/**
 * Error classes of the server (start, backup, …) whose errors the user can fix. They are compared by name, so that the
 * client does not load the server's code.
 */
const userErrors: ReadonlySet<string> = new Set(['StartError', 'StoreError', 'SealError', 'BackupError']);

/**
 * Describes an error for the user: in one line if the user can fix it, otherwise with the stack, because it is a bug.
 */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) return { text: oneLine(error.message), exitCode: error.exitCode };
  if (error instanceof StatusError) return describeStatus(error);
  if (!(error instanceof Error)) return { text: String(error), exitCode: exitCodes.error };
  // A failed system call, for example an unreadable file or a full disk, has a message that names the cause.
  if (userErrors.has(error.name) || 'syscall' in error)
    return { text: oneLine(error.message), exitCode: exitCodes.error };
  return { text: error.stack ?? error.message, exitCode: exitCodes.error };
}

function describeStatus(error: StatusError): Failure {
  const message = oneLine(error.message);
  switch (error.code) {
    case 401:
      return {
        text: 'the server rejected the access key (it may be expired or disabled); log in again: flotilla login',
        exitCode: exitCodes.refused,
      };
    case 403:
      return { text: `${message}; show your user and access key with: flotilla whoami`, exitCode: exitCodes.refused };
    case 404:
      return { text: notFoundText(error) ?? message, exitCode: exitCodes.notFound };
    case 408:
    case 504:
      return { text: `${message}; try again`, exitCode: exitCodes.timeout };
    case 429:
      return { text: `${message}; the server received too many requests, try again later`, exitCode: exitCodes.error };
    default:
      return { text: message, exitCode: exitCodes.error };
  }
}

/** Returns a message that names a missing object as the commands do; `undefined` if no command manages its kind. */
function notFoundText({ status, message }: StatusError): string | undefined {
  const { kind: plural = '', name = '' } = status.details ?? {};
  if (message === pathNotFound().message) {
    return `${message}; this client uses the API word "${apiWord}": if the server has another one, log in again (flotilla login) or set ${apiWordVariable}`;
  }
  const project = plural === 'namespaces' ? projectOfNamespace(name) : undefined;
  if (project !== undefined)
    return `project "${project}" not found; list the projects that you can see with: flotilla project list`;
  const kind = namedKinds.find((one) => one.plural === plural);
  if (kind === undefined || name === '') return undefined;
  // The message mentions other users' keys, so that a user who must revoke a key does not conclude that it is gone.
  if (kind === ownedAccessKeys)
    return `you have no access key "${name}"; list yours with: flotilla access-key list; administrators reach the keys of other users with --all`;
  return `${kind.noun} "${name}" not found; list them with: flotilla ${commandPath(kind, 'list')}`;
}

function oneLine(text: string): string {
  return escapeControlCharacters(text.replaceAll(/\s+/g, ' ')).trim();
}
