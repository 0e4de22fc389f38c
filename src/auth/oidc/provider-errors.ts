import { ProviderError, type ProviderErrorReason } from './connector.ts';

/** The errors of OAuth after which a later attempt may succeed, because the provider or its configuration is at fault. */
const temporaryErrors = new Set(['temporarily_unavailable', 'server_error', 'invalid_client', 'unauthorized_client']);

/**
 * Error codes of the libraries for responses that are not OAuth documents, or that did not arrive before the timeout.
 */
const unusableResponses = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'ERR_JWKS_TIMEOUT',
  'ERR_JWKS_INVALID',
  'ERR_JOSE_GENERIC',
]);

/**
 * Converts an error of the libraries to a ProviderError. `whenGone` is the reason to use for the error code
 * `invalid_grant`: `Rejected` for a code that the provider does not accept, `Gone` for a refresh token that the
 * provider does not accept, because the login no longer exists.
 */
export function providerErrorOf(error: unknown, whenGone: 'Rejected' | 'Gone'): ProviderError {
  const known = causesOf(error).find((cause) => cause instanceof ProviderError);
  if (known !== undefined) return known;
  const { error: oauthError, status, code } = error as Readonly<Record<string, unknown>>;
  const reason = reasonOf(oauthError, status, code, whenGone);
  // An error status means that the provider refused the request. Without a status, the response could not be read, so
  // the outcome is unknown.
  return new ProviderError(reason, messageOf(error), { cause: error, isOutcomeUnknown: typeof status !== 'number' });
}

function reasonOf(
  oauthError: unknown,
  status: unknown,
  code: unknown,
  whenGone: 'Rejected' | 'Gone',
): ProviderErrorReason {
  if (typeof status === 'number' && (status >= 500 || status === 429)) return 'Unavailable';
  if (oauthError === 'invalid_grant') return whenGone;
  if (typeof oauthError === 'string') return temporaryErrors.has(oauthError) ? 'Unavailable' : 'Rejected';
  return typeof code === 'string' && unusableResponses.has(code) ? 'Unavailable' : 'Rejected';
}

/**
 * Returns a message for a library error. The libraries' own messages are fixed texts and are used unchanged. Texts from
 * the provider are shortened and quoted.
 */
function messageOf(error: unknown): string {
  const { error: oauthError, error_description: description } = error as Readonly<Record<string, unknown>>;
  if (typeof oauthError === 'string') {
    const details = typeof description === 'string' ? `: ${quoted(description)}` : '';
    return `the provider answered with the error ${quoted(oauthError)}${details}`;
  }
  const messages = causesOf(error).map(({ message }) => message);
  return [...new Set(messages)].slice(0, 3).join(': ') || 'unknown error';
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(cause);
  return causes;
}
