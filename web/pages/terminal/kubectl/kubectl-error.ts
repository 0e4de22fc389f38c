import { StatusError } from '../../../../src/api/status.ts';

/** An error in a command, with a message for the user. */
export class KubectlError extends Error {
  override readonly name = 'KubectlError';
}

/** The advice that error messages give about features that this page does not support. */
export const ownKubectl = 'run kubectl on your machine with a kubeconfig from the Connect tab';

/** Returns the text that a failed command prints. */
export function failureText(error: unknown): string {
  if (error instanceof KubectlError) return `error: ${error.message}`;
  if (error instanceof StatusError) {
    const { reason } = error.status;
    return `Error from server${reason === undefined ? '' : ` (${reason})`}: ${error.message}`;
  }
  if (error instanceof TypeError) return 'error: the server cannot be reached; check your network connection';
  return `error: ${error instanceof Error ? error.message : String(error)}`;
}
