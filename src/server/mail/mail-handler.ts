import { textAt } from '@flotilla/json';
import { isMailAddress } from '../../api/mail/mail-address.ts';
import { type MailStatus, mailApiVersion, mailStatusKind } from '../../api/mail/mail-status.ts';
import { badRequest, methodNotAllowedOnPath, serviceUnavailable } from '../../api/status.ts';
import type { Handler } from '../../http/exchange.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import { jsonReply, readJson } from '../auth/login-body.ts';
import { MailServerError } from './mail-server.ts';
import type { NotificationMails } from './notification-mails.ts';

const notConfigured: MailStatus = { kind: mailStatusKind, apiVersion: mailApiVersion };

/**
 * Handles `/mail`. GET returns the state of mails. POST sends a test mail to the address `to` in the body, and returns
 * the state.
 */
export function mailHandler(mails: Pick<NotificationMails, 'status' | 'sendTest'> | undefined): Handler {
  return async (exchange) => {
    const { method } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw methodNotAllowedOnPath();
    if (method === 'POST') {
      const to = textAt(await readJson(exchange), 'to');
      if (!isMailAddress(to)) throw badRequest('the body must be a JSON object with a mail address as the string "to"');
      if (mails === undefined) {
        throw serviceUnavailable('this server sends no mails; set mail.server in its settings file');
      }
      await sendTest(mails, to, exchange.signal);
    }
    const status = (await withStatusErrors(Promise.resolve(mails?.status()))) ?? notConfigured;
    const reply = jsonReply(method === 'POST' ? 201 : 200, status);
    return method === 'HEAD' ? { ...reply, body: '' } : reply;
  };
}

async function sendTest(mails: Pick<NotificationMails, 'sendTest'>, to: string, signal: AbortSignal): Promise<void> {
  try {
    await mails.sendTest(to, signal);
  } catch (error) {
    if (error instanceof MailServerError) throw serviceUnavailable(error.message);
    throw error;
  }
}
