import { managementGroup, managementVersion } from '../naming.ts';

export const mailStatusKind = 'MailStatus';
export const mailApiVersion = `${managementGroup}/${managementVersion}`;
/** Path at which administrators read the state of mails (GET) and send a test mail (POST). */
export const mailPath = '/mail';

/** The last attempt to send a mail that failed. */
export interface FailedMail {
  readonly time: string;
  readonly message: string;
}

/** The state of sending mails. If no mail server is configured, `server` is absent. */
export interface MailStatus {
  readonly kind: typeof mailStatusKind;
  readonly apiVersion: typeof mailApiVersion;
  /** The host and port of the mail server. */
  readonly server?: string;
  /** The address of the sender. */
  readonly from?: string;
  /** The last failure. Absent if the mail server has accepted a mail since. */
  readonly lastFailure?: FailedMail;
}
