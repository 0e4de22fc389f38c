import type { MailStatus } from '../../../api/mail/mail-status.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError } from '../../cli-error.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { mailEndpoint, requestEndpoint, type TypedResponse } from '../../endpoints.ts';

/**
 * Returns the state of mails; `undefined` if the caller may not read the state, or if the server is older and does not
 * report it.
 */
export async function fetchMailState(
  api: ServerApi,
  signal: AbortSignal,
): Promise<TypedResponse<MailStatus> | undefined> {
  try {
    return await requestEndpoint(api, mailEndpoint, { signal });
  } catch (error) {
    // An older server does not have this path and responds with a page of the console.
    const isMissing = error instanceof StatusError && [403, 404].includes(error.code);
    if (isMissing || error instanceof CliError) return undefined;
    throw error;
  }
}

/** Returns text about a failure to send mails; '' if there is none. */
export function mailStateText(state: Partial<MailStatus> | undefined): string {
  const { time = '', message = '' } = state?.lastFailure ?? {};
  if (message === '') return '';
  return `\nNotifications cannot be sent by mail since ${time}: ${escapeControlCharacters(message)}\n`;
}
