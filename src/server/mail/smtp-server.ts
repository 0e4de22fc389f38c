import { readFile } from 'node:fs/promises';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { escapeControlCharacters } from '../../client/escape-controls.ts';
import type { Clock } from '../../lib/clock.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { describeError } from '../../process/private-dir.ts';
import type { MailSettings } from '../settings/mail-settings.ts';
import { type Mail, type MailConnection, type MailServer, MailServerError } from './mail-server.ts';

/** The time limit for each step, in milliseconds. The steps are DNS, connection, greeting, and every response. */
const stepMs = 15_000;
/** The largest response of the server. */
const maxResponseBytes = 64 * 1024;

/**
 * Sends mails with SMTP. For each connection, the password file and the file with the CA certificates are read again.
 */
export class SmtpServer implements MailServer {
  readonly description: string;
  readonly from: string;
  readonly #settings: MailSettings;
  readonly #clock: Clock;

  constructor(settings: MailSettings, clock: Clock) {
    const { host, port, from } = settings;
    this.description = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    this.from = from.address;
    this.#settings = settings;
    this.#clock = clock;
  }

  async connect(signal: AbortSignal): Promise<MailConnection> {
    const { host, port, encryption, account, caFile } = this.#settings;
    const password = account && (await this.#read(account.passwordFile)).trim();
    const ca = caFile === undefined ? undefined : await this.#read(caFile);
    const connection = new SMTPConnection({
      ...{ host, port, secure: encryption === 'implicit' },
      ...{ requireTLS: encryption === 'starttls', ignoreTLS: encryption === 'none' },
      ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs },
      ...{ maxResponseSize: maxResponseBytes, logger: false, allowInternalNetworkInterfaces: true },
      tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    });
    const abort = () => connection.close();
    signal.addEventListener('abort', abort, { once: true });
    const run = (start: (done: (error?: Error | null) => void) => void) => this.#step(connection, signal, start);
    const close = () => {
      signal.removeEventListener('abort', abort);
      connection.quit();
      connection.close();
    };
    try {
      await run((done) => connection.connect(done));
      if (account !== undefined && password !== undefined) {
        await run((done) => connection.login({ credentials: { user: account.user, pass: password } }, done));
      }
    } catch (error) {
      close();
      throw error;
    }
    return {
      send: async (mail) => {
        const content = await this.#compose(mail);
        await run((done) => connection.send({ from: this.from, to: [mail.to] }, content, done));
      },
      close,
    };
  }

  /**
   * Uses the library to encode the headers. The library must not read files or URLs, even if addresses or texts contain
   * their names.
   */
  #compose({ to, subject, text, html }: Mail): Promise<Buffer> {
    const { from } = this.#settings;
    return new MailComposer({
      from,
      to: { name: '', address: to },
      ...{ subject, text, html },
      date: new Date(this.#clock.now()),
      // Prevents programs from answering this mail automatically.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
  }

  /** Runs one step. An error that occurs outside of the step, such as a closed connection, also ends the step. */
  async #step(
    connection: SMTPConnection,
    signal: AbortSignal,
    start: (done: (error?: Error | null) => void) => void,
  ): Promise<void> {
    const fault = (error: Error) => faultOf(error, this.description);
    signal.throwIfAborted();
    const step = new Promise<void>((resolve, reject) => {
      const fail = (error: Error) => settle(error);
      const end = () => settle(new Error('the connection was closed'));
      const settle = (error?: Error | null) => {
        connection.off('end', end);
        if (error) reject(signal.aborted ? signal.reason : fault(error));
        else resolve();
      };
      // The listener of the last step remains on the connection. Without a listener, a later error would end the
      // process.
      connection.removeAllListeners('error');
      connection.on('error', fail);
      connection.once('end', end);
      start(settle);
    });
    await unlessAborted(step, signal);
  }

  async #read(path: string): Promise<string> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new MailServerError(`cannot read ${path}: ${describeError(error)}`, 'server', error);
    }
  }
}

/** The commands whose refusal concerns only the current mail or its recipient. */
const commandsOfMail: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);
const maxMessageLength = 300;

function faultOf(error: Error, server: string): MailServerError {
  const { code = '', command = '', responseCode, permanent } = error as Partial<SMTPConnection.SMTPError>;
  const message = escapeControlCharacters(error.message.replace(/\s+/g, ' ')).slice(0, maxMessageLength);
  const isOfMail =
    responseCode !== undefined && ['EENVELOPE', 'EMESSAGE'].includes(code) && commandsOfMail.has(command);
  // With 421, the server closes the connection, whatever the command was.
  if (!isOfMail || responseCode === 421) {
    return new MailServerError(`the mail server ${server} cannot be used: ${message}`, 'server', error);
  }
  const concerns = permanent === true ? 'recipient' : 'recipient-now';
  return new MailServerError(`the mail server ${server} refused the mail: ${message}`, concerns, error);
}
