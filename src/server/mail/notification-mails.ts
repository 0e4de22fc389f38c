import { type FailedMail, type MailStatus, mailApiVersion, mailStatusKind } from '../../api/mail/mail-status.ts';
import type { SimpleGauge } from '../../http/metrics/server-gauges.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { MailPreferences } from '../../management/notifications/mail-preferences.ts';
import type { Notification } from '../../management/notifications/notification.ts';
import type { NotificationStates } from '../../management/notifications/notification-states.ts';
import type { ManagementState } from '../../management/state.ts';
import { describeError } from '../../process/private-dir.ts';
import { TenureEndedError } from '../../replicas/tenure.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { type DueMail, DueMails, type Recipient } from './due-mails.ts';
import { readFailedMail, writeFailedMail } from './mail-record.ts';
import { readOffUids, readSentNotifications, removeMailRows, writeSentNotifications } from './mail-rows.ts';
import { type MailConnection, type MailServer, MailServerError } from './mail-server.ts';
import { notificationMail, testMail } from './notification-mail.ts';
import { nothingSent, type SentNotifications, withSent } from './sent-notifications.ts';

export interface NotificationMailsOptions {
  readonly server: MailServer;
  readonly state: ManagementState;
  readonly trustedDomains: readonly string[];
  readonly preferences: MailPreferences;
  readonly notificationStates: NotificationStates;
  /** Returns the URL of the console, without a trailing slash; `undefined` if the server has no console. */
  consoleUrl(): string | undefined;
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tenure in which this server sends mails (`runOnLeader`). */
interface Leadership {
  readonly fence: RevisionCheck | undefined;
  readonly assertCurrent: () => void;
  readonly signal: AbortSignal;
}

/** The interval at which notifications are computed. */
const intervalMs = 60_000;
/**
 * The pauses between attempts if the mail server cannot be used, and before the next mail to a recipient that the mail
 * server temporarily refuses.
 */
const retryBackoff = { initialMilliseconds: 60_000, maxMilliseconds: 15 * 60_000 };
const recipientBackoff = { initialMilliseconds: 5 * 60_000, maxMilliseconds: 6 * 3_600_000 };
/** The maximum number of mails in one pass. The next pass computes the remaining mails again. */
const mailsPerPass = 500;

/**
 * Sends notifications by mail on the leader. Nothing is queued: each pass computes the unsent notifications from the
 * current state. A mail is recorded as sent after the mail server has accepted it. A crash between accepting and
 * recording therefore repeats at most one mail.
 */
export class NotificationMails {
  readonly #options: NotificationMailsOptions;
  readonly #due: DueMails;
  /** The notifications that were sent to each user, by the UID of the user. Only the leader changes this map. */
  #sent = new Map<string, SentNotifications>();
  /** The users whose address is temporarily refused, by UID. */
  #refused = new Map<string, { readonly failures: number; readonly retryAt: number }>();
  /** The UID of the user whose last mail could not be recorded yet. */
  #unrecorded: string | undefined;
  #isFailing = true;
  readonly #counts = { sent: 0, failed: 0 };

  constructor(options: NotificationMailsOptions) {
    this.#options = options;
    this.#due = new DueMails(options.state, options.trustedDomains);
  }

  /** Starts to send mails. The returned function stops this and ends the connection in use. */
  start(fence: RevisionCheck | undefined, assertCurrent: () => void): () => Promise<void> {
    const stopping = new AbortController();
    const ended = this.#run({ fence, assertCurrent, signal: stopping.signal });
    return async () => {
      stopping.abort();
      await ended;
    };
  }

  gauges(): SimpleGauge[] {
    return [
      {
        name: 'flotilla_mails_sent_total',
        help: 'Number of mails that the mail server has accepted since the start of this server.',
        value: () => this.#counts.sent,
      },
      {
        name: 'flotilla_mails_failed_total',
        help: 'Number of attempts to send a mail that failed since the start of this server.',
        value: () => this.#counts.failed,
      },
    ];
  }

  async status(): Promise<MailStatus> {
    const { server, store } = this.#options;
    const lastFailure = await readFailedMail(store);
    return {
      kind: mailStatusKind,
      apiVersion: mailApiVersion,
      server: server.description,
      from: server.from,
      ...(lastFailure === undefined ? {} : { lastFailure }),
    };
  }

  /** Sends a test mail from this server. Rejects with MailServerError. */
  async sendTest(address: string, signal: AbortSignal): Promise<void> {
    const connection = await this.#options.server.connect(signal);
    try {
      await connection.send(testMail(address));
    } finally {
      connection.close();
    }
    this.#counts.sent++;
    await writeFailedMail(this.#options.store, undefined, undefined);
  }

  async #run(leadership: Leadership): Promise<void> {
    const { clock } = this.#options;
    const { signal } = leadership;
    let failures = 0;
    let isLoaded = false;
    while (!signal.aborted) {
      let delay = intervalMs;
      try {
        if (!isLoaded) await this.#load(leadership);
        isLoaded = true;
        await this.#pass(leadership);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        delay = backoffDelay(++failures, retryBackoff);
        if (!(error instanceof TenureEndedError)) await this.#reportFailure(error, delay, leadership);
      }
      await wait(clock, delay, signal);
    }
  }

  /** Reads the sent notifications, and removes the rows of users who no longer exist. */
  async #load({ fence }: Leadership): Promise<void> {
    const { store, state } = this.#options;
    // Waits until this server knows all users, so that no row of an existing user is removed.
    await state.caughtUp();
    this.#sent = await readSentNotifications(store);
    this.#unrecorded = undefined;
    this.#isFailing = (await readFailedMail(store)) !== undefined;
    const uids = new Set<string | undefined>();
    for (const { metadata } of state.users()) uids.add(metadata.uid);
    const gone = [...new Set([...this.#sent.keys(), ...(await readOffUids(store))])].filter((uid) => !uids.has(uid));
    if (gone.length > 0) await removeMailRows(store, gone, fence);
    for (const uid of gone) this.#sent.delete(uid);
  }

  async #pass(leadership: Leadership): Promise<void> {
    const { state, clock, server } = this.#options;
    const { signal, assertCurrent } = leadership;
    // Sends no further mails until the last mail is recorded. Recording fails, for example, if another server has
    // become the leader.
    if (this.#unrecorded !== undefined) await this.#write(this.#unrecorded, leadership);
    await state.caughtUp();
    const found = await this.#due.find(this.#sent, clock.now());
    const waiting = new Set(found.map(({ uid }) => uid));
    const refused = new Map([...this.#refused].filter(([uid]) => waiting.has(uid)));
    this.#refused = refused;
    const due = found.filter(({ uid }) => clock.elapsed() >= (refused.get(uid)?.retryAt ?? 0)).slice(0, mailsPerPass);
    let connection: MailConnection | undefined;
    try {
      for (const mail of due) {
        if (signal.aborted) return;
        await yieldToEventLoop();
        const notifications = await this.#wanted(mail);
        const recipient = this.#due.recipient(mail.user);
        if (recipient?.uid !== mail.uid) continue;
        const readable = notifications.filter((notification) => this.#due.mayRead(recipient, notification));
        assertCurrent();
        if (readable.length === 0) {
          await this.#record(mail, { isMail: false }, leadership);
          continue;
        }
        connection ??= await server.connect(signal);
        if (await this.#send(connection, recipient, readable)) {
          await this.#record(mail, { isMail: true }, leadership);
          continue;
        }
        connection.close();
        connection = undefined;
        if (!refused.has(mail.uid)) await this.#record(mail, { isMail: true }, leadership);
      }
    } finally {
      connection?.close();
    }
  }

  /** Returns the notifications that the user has not read elsewhere; an empty list if the user wants no mails. */
  async #wanted({ user, uid, unsent }: DueMail): Promise<readonly Notification[]> {
    const { preferences, notificationStates } = this.#options;
    if (await preferences.isOff(uid)) return [];
    const { read, dismissed } = await notificationStates.get(user);
    const known = new Set([...read, ...dismissed]);
    return unsent.filter(({ id }) => !known.has(id));
  }

  /**
   * Resolves with false if the mail server refuses the recipient or the mail. Rejects if the mail server cannot be
   * used.
   */
  async #send(
    connection: MailConnection,
    recipient: Recipient,
    notifications: readonly Notification[],
  ): Promise<boolean> {
    const { consoleUrl, clock, log } = this.#options;
    const { name: user, uid, address: to } = recipient;
    try {
      await connection.send(notificationMail({ to, user, notifications, console: consoleUrl() }));
    } catch (error) {
      if (!(error instanceof MailServerError) || error.concerns === 'server') throw error;
      this.#counts.failed++;
      const retries = error.concerns === 'recipient-now';
      const failures = (this.#refused.get(uid)?.failures ?? 0) + 1;
      const delay = backoffDelay(failures, recipientBackoff);
      if (retries) this.#refused.set(uid, { failures, retryAt: clock.elapsed() + delay });
      else this.#refused.delete(uid);
      log.warn({ user, error: error.message, retries }, 'the mail server refused a mail to a user');
      return false;
    }
    this.#counts.sent++;
    this.#refused.delete(uid);
    return true;
  }

  async #record(mail: DueMail, { isMail }: { readonly isMail: boolean }, leadership: Leadership): Promise<void> {
    const { clock } = this.#options;
    const { uid, unsent, current } = mail;
    const old = this.#sent.get(uid) ?? nothingSent;
    const sent = withSent(old, { current, sent: unsent, now: clock.now(), isMail });
    // The mail is remembered in memory before it is recorded in the store, so it is not sent again if recording fails.
    this.#sent.set(uid, sent);
    await this.#write(uid, leadership);
    if (isMail) await this.#writeFailure(undefined, leadership.fence);
  }

  async #write(uid: string, { fence }: Leadership): Promise<void> {
    this.#unrecorded = uid;
    await writeSentNotifications(this.#options.store, uid, this.#sent.get(uid) ?? nothingSent, fence);
    this.#unrecorded = undefined;
  }

  async #reportFailure(error: unknown, delayMs: number, { fence, signal }: Leadership): Promise<void> {
    const { clock, log } = this.#options;
    const message = error instanceof MailServerError ? error.message : describeError(error);
    this.#counts.failed++;
    const retryInSeconds = Math.round(delayMs / 1000);
    log.warn({ error: message, retryInSeconds }, 'cannot send notifications by mail');
    try {
      if (!signal.aborted) await this.#writeFailure({ time: new Date(clock.now()).toISOString(), message }, fence);
    } catch (notRecorded) {
      log.debug({ error: notRecorded }, 'cannot store the mail failure');
    }
  }

  async #writeFailure(failure: FailedMail | undefined, fence: RevisionCheck | undefined): Promise<void> {
    if (failure === undefined && !this.#isFailing) return;
    await writeFailedMail(this.#options.store, failure, fence);
    this.#isFailing = failure !== undefined;
  }
}
