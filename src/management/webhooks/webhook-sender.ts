import { request as httpRequest, type IncomingMessage, type RequestOptions, STATUS_CODES } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { KubeObject } from '../../api/meta.ts';
import { WebhookAddresses } from '../../controlplane/webhooks/webhook-addresses.ts';
import { type ResolveHost, resolveByDns } from '../../controlplane/webhooks/webhook-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/private-file.ts';
import type { ManagementSettings } from '../settings.ts';
import { signatureHeaders } from './webhook-secret.ts';

/** The time limit for a whole attempt: to resolve the name, connect, send, and read the status of the response. */
const timeoutMilliseconds = 10_000;

export interface WebhookMessage {
  readonly url: string;
  readonly secret: string;
  /** The activity record. Its name is the ID of the message. */
  readonly record: KubeObject;
  readonly signal: AbortSignal;
}

/** The result of an attempt. `message` describes the result and contains no data that the receiver has sent. */
export interface WebhookResult {
  readonly delivered: boolean;
  /** HTTP status code of the response. Absent if there was no response. */
  readonly code?: number;
  readonly durationMilliseconds: number;
  readonly message: string;
}

export interface WebhookSender {
  /**
   * Throws an error with the reason if a webhook must not have this URL. The addresses of a host name are checked
   * later, at each attempt.
   */
  check(url: string): void;
  /** Sends a message. Rejects only if the signal is aborted. */
  send(message: WebhookMessage): Promise<WebhookResult>;
}

export interface WebhookSenderOptions {
  readonly settings: ManagementSettings['webhooks'];
  readonly clock: Clock;
  /** Optional; defaults to DNS. */
  readonly resolve?: ResolveHost;
  /** Optional; defaults to 10 seconds. */
  readonly timeoutMilliseconds?: number;
}

/** The reason why a message could not be sent, in plain language. */
class SendError extends Error {}

const deniedAddress =
  'the host has no address to which this server may send records; private, loopback and link-local addresses must be in the server setting webhooks.addresses';

/**
 * Sends records to receivers. Tenants choose the addresses of receivers, so each attempt checks the address and
 * connects to exactly this address, without another lookup. Redirects are not followed, and only the status of the
 * response is read.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { settings, clock, resolve = resolveByDns } = options;
  const limit = options.timeoutMilliseconds ?? timeoutMilliseconds;
  const addresses = new WebhookAddresses(settings.addresses);

  async function addressOf(url: URL, signal: AbortSignal): Promise<string> {
    const host = hostOf(url);
    const found = isIP(host) === 0 ? await resolve(host, signal) : [host];
    const address = found.find((one) => addresses.allows(one));
    // For a denied address, the message equals the message for a name that does not exist, so that tenants cannot look
    // up internal names.
    if (address === undefined) throw new SendError(deniedAddress);
    return address;
  }

  async function exchange({ url: text, secret, record }: WebhookMessage, signal: AbortSignal): Promise<number> {
    const url = new URL(text);
    checkUrl(url);
    const host = hostOf(url);
    const address = await addressOf(url, signal);
    signal.throwIfAborted();
    const body = JSON.stringify(record);
    const message = { id: record.metadata.name ?? '', timestamp: Math.floor(clock.now() / 1_000), body };
    const isTls = url.protocol === 'https:';
    return await post(isTls ? httpsRequest : httpRequest, body, {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      // An IP address is not a valid TLS server name. Without a server name, the certificate is compared with `host`.
      ...(isTls ? { servername: isIP(host) === 0 ? host : '' } : {}),
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'flotilla-webhooks',
        ...signatureHeaders(secret, message),
      },
      agent: false,
      signal,
    });
  }

  function checkUrl(url: URL): void {
    if (url.protocol === 'http:' && !settings.allowPlainHttp) {
      throw new SendError('must be an https:// URL; the server setting webhooks.allowPlainHttp permits http://');
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new SendError('must be an https:// URL');
    if (url.username !== '' || url.password !== '') throw new SendError('must not contain a user name or a password');
  }

  return {
    check(text) {
      if (!URL.canParse(text)) throw new SendError('must be an https:// URL, such as https://example.com/hook');
      const url = new URL(text);
      checkUrl(url);
      if (url.hash !== '') throw new SendError('must not contain a fragment');
      const host = hostOf(url);
      if (isIP(host) !== 0 && !addresses.allows(host)) throw new SendError(deniedAddress);
    },
    async send(message) {
      const start = clock.elapsed();
      const deadline = AbortSignal.timeout(limit);
      const finish = (members: Omit<WebhookResult, 'durationMilliseconds'>): WebhookResult => ({
        ...members,
        durationMilliseconds: Math.round(clock.elapsed() - start),
      });
      try {
        const code = await exchange(message, AbortSignal.any([message.signal, deadline]));
        const isSuccess = code >= 200 && code < 300;
        return finish({ delivered: isSuccess, code, message: describeCode(code) });
      } catch (error) {
        if (message.signal.aborted) throw message.signal.reason;
        const reason = deadline.aborted ? `no response within ${limit / 1_000} seconds` : describeFailure(error);
        return finish({ delivered: false, message: reason });
      }
    },
  };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Sends a request and returns the status code of the response. The body of the response is not read. */
function post(send: typeof httpRequest, body: string, options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = send(options, (response: IncomingMessage) => {
      // The response is read only up to its status, so the receiver cannot delay the result. Later errors are ignored.
      response.on('error', () => {});
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function describeCode(code: number): string {
  const text = STATUS_CODES[code] === undefined ? String(code) : `${code} ${STATUS_CODES[code]}`;
  const isRedirect = code >= 300 && code < 400;
  return `the receiver responded with ${text}${isRedirect ? '; redirects are not followed' : ''}`;
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection without a response',
  EPIPE: 'the receiver closed the connection without a response',
  EHOSTUNREACH: 'there is no route to the receiver',
  ENETUNREACH: 'there is no route to the receiver',
  ETIMEDOUT: 'the receiver did not accept the connection',
  CERT_HAS_EXPIRED: 'the certificate of the receiver has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the receiver is for another name',
};

/**
 * Describes an error by its code. The message of the error is not used, because it could contain data from the
 * receiver.
 */
function describeFailure(error: unknown): string {
  if (error instanceof SendError) return error.message;
  const code = errorCode(error) ?? '';
  const known = failures[code];
  if (known !== undefined) return known;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return 'the certificate of the receiver is not trusted';
  if (/^ERR_(?:SSL|TLS)_|^EPROTO$/.test(code)) return 'the receiver does not speak TLS';
  if (/^HPE_/.test(code)) return 'the receiver does not speak HTTP/1.1';
  return `the connection failed (${code === '' ? 'unknown error' : code})`;
}
