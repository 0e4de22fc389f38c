/** A message to one user. */
export interface Mail {
  /** A plain address (`isMailAddress`). */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail server of the settings. */
export interface MailServer {
  /** The host and port. */
  readonly description: string;
  /** The address of the sender. */
  readonly from: string;
  /** Opens a connection and logs in. Rejects with MailServerError. */
  connect(signal: AbortSignal): Promise<MailConnection>;
}

/** A connection, on which mails are sent one after the other. It must be closed after an error. */
export interface MailConnection {
  /** Resolves when the mail server has accepted the mail. Rejects with MailServerError. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The reason why a mail server did not accept a mail. Contains no password. */
export class MailServerError extends Error {
  /**
   * The scope of the refusal. `server`: the server accepts no mails now. `recipient`: the server refuses this mail or
   * its recipient. `recipient-now`: the server refuses this mail or its recipient now, but may accept it later.
   */
  readonly concerns: 'server' | 'recipient' | 'recipient-now';

  constructor(message: string, concerns: MailServerError['concerns'] = 'server', cause?: unknown) {
    super(message, { cause });
    this.name = 'MailServerError';
    this.concerns = concerns;
  }
}
