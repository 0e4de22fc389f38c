import type { ManagementApi } from '../open-management.ts';
import type { ServerContext } from '../server-context.ts';
import type { NotificationMails } from './notification-mails.ts';

/**
 * Opens the sending of mails as the settings define it. If they name no mail server, returns `undefined` and loads no
 * mail code.
 */
export async function openNotificationMails(
  { settings, store, clock, log }: Pick<ServerContext, 'settings' | 'store' | 'clock' | 'log'>,
  { state, mailPreferences, notificationStates }: ManagementApi,
  url: () => string | undefined,
): Promise<NotificationMails | undefined> {
  const { mail } = settings;
  if (mail === undefined) return undefined;
  const [{ NotificationMails: Mails }, { SmtpServer }] = await Promise.all([
    import('./notification-mails.ts'),
    import('./smtp-server.ts'),
  ]);
  return new Mails({
    server: new SmtpServer(mail, clock),
    state,
    trustedDomains: mail.trustedDomains,
    preferences: mailPreferences,
    notificationStates,
    consoleUrl: () => (settings.console.enabled ? url() : undefined),
    store,
    clock,
    log,
  });
}
