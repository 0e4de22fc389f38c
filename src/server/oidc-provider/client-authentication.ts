import { hash, timingSafeEqual } from 'node:crypto';
import { serviceUnavailable } from '../../api/status.ts';
import type { LoginBackoff } from '../../auth/login-backoff.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Log } from '../../lib/log.ts';
import { readIfExists } from '../../process/private-dir.ts';
import { invalidRequest, OAuthError } from '../auth/oauth/oauth-error.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';

export interface ClientAuthenticationOptions {
  readonly clients: ReadonlyMap<string, OidcClient>;
  readonly backoff: LoginBackoff;
  readonly log: Log;
}

/** A request of an app. It counts as a failure unless `succeed` is called. */
export interface ClientAttempt {
  /** The client ID that the request names, for the audit log. It is not verified. */
  readonly claimedId: string;
  /** Returns the client. Throws OAuthError if the request does not prove that the client sent it. */
  authenticate(): Promise<OidcClient>;
  /**
   * Called after the request has proved that the app has a secret: the client secret, or the code or token of a public
   * client.
   */
  succeed(): void;
}

interface PresentedClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/**
 * Admits a request of an app. Throws OAuthError with 429 if its source had too many failures. Failures are counted per
 * presented secret, so that failures of other callers do not block an app.
 */
export function admitClient(
  exchange: Exchange,
  form: ReadonlyMap<string, string>,
  options: ClientAuthenticationOptions,
): ClientAttempt {
  const { id, secret } = presentedClient(exchange.request.headers.authorization, form);
  const credential = secret ?? form.get('code') ?? form.get('refresh_token') ?? form.get('token') ?? '';
  const { remoteAddress: source } = exchange.request;
  const admitted = options.backoff.admit({ account: `oidc client ${id} ${credential}`, source });
  if (typeof admitted === 'number') {
    throw new OAuthError('temporarily_unavailable', 'too many failed requests; try again later', {
      status: 429,
      headers: { 'retry-after': String(Math.ceil(admitted / 1000)) },
    });
  }
  return {
    claimedId: id.slice(0, 64),
    succeed: () => admitted.succeed(),
    async authenticate() {
      const client = options.clients.get(id);
      if (client === undefined || !(await isSecretOf(client, secret, options.log))) throw invalidClient();
      return client;
    },
  };
}

function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed', {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="flotilla"' },
  });
}

/** Reads the client ID and secret: from the Authorization header, or from the form, but not from both. */
function presentedClient(authorization: string | undefined, form: ReadonlyMap<string, string>): PresentedClient {
  const inForm = { id: form.get('client_id') ?? '', secret: form.get('client_secret') };
  if (authorization === undefined) return inForm;
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? [];
  const [id = '', secret] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s).map(formDecoded);
  const isAmbiguous = inForm.secret !== undefined || (inForm.id !== '' && inForm.id !== id);
  if (isAmbiguous) throw invalidRequest('the client must authenticate in one way only');
  return { id, secret: secret ?? '' };
}

/** Decodes a form-encoded client ID or secret. RFC 6749 §2.3.1: both are form-encoded before they are joined. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

async function isSecretOf({ id, secretFile }: OidcClient, presented: string | undefined, log: Log): Promise<boolean> {
  if (secretFile === undefined) return presented === undefined || presented === '';
  if (presented === undefined) return false;
  const stored = (await readIfExists(secretFile))?.trim() ?? '';
  if (stored === '') {
    log.error({ client: id, file: secretFile }, 'the secret of an OIDC client cannot be read');
    throw serviceUnavailable('the secret of the client cannot be read');
  }
  const digest = (text: string) => Buffer.from(hash('sha256', text, 'hex'));
  return timingSafeEqual(digest(stored), digest(presented));
}
