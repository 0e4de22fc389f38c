import { type JsonObject, textAt } from '@flotilla/json';
import { mailPath } from '../../../api/mail/mail-status.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError } from '../../cli-error.ts';
import type { ServerApi } from '../../connection/server-api.ts';

/** Returns the state of mails; `undefined` if the caller may not read it, or if the server is too old to have it. */
export async function fetchMailState(api: ServerApi, signal: AbortSignal): Promise<JsonObject | undefined> {
  try {
    return await api.json({ path: mailPath, signal });
  } catch (error) {
    // An older server responds with a page of the console.
    const isMissing = error instanceof StatusError && [403, 404].includes(error.code);
    if (isMissing || error instanceof CliError) return undefined;
    throw error;
  }
}

/** Describes a failure to send mails for people; '' if there is none. */
export function mailStateText(state: JsonObject | undefined): string {
  const message = textAt(state, 'lastFailure', 'message');
  if (message === '') return '';
  const time = textAt(state, 'lastFailure', 'time');
  return `\nNotifications cannot be sent by mail since ${time}: ${escapeControlCharacters(message)}\n`;
}
