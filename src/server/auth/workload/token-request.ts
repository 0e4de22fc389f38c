import { StatusError } from '../../../api/status.ts';
import { maxWorkloadTokenLength } from '../../../auth/workload/verify-workload-token.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { readForm } from '../oauth/form-body.ts';
import { invalidRequest, OAuthError } from '../oauth/oauth-error.ts';

/** Values that RFC 8693 defines. */
const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const tokenTypes = 'urn:ietf:params:oauth:token-type:';
export const accessTokenType = `${tokenTypes}access_token`;
const subjectTokenTypes = [`${tokenTypes}jwt`, `${tokenTypes}id_token`];

/** The maximum size of a body: a token, and the other parameters. */
const maxBytes = maxWorkloadTokenLength + 4 * 1024;

/** The parameters of a token exchange. */
export interface TokenRequest {
  readonly token: string;
  /** The name of the rule that the client asks for; `undefined` to use the first rule that matches. */
  readonly rule: string | undefined;
  /** The services for which the client asks for an access token. */
  readonly targets: readonly string[];
}

/**
 * Reads the body of a token request. Throws an `OAuthError` for an invalid body. The text of the error contains no
 * values of the request.
 */
export async function readTokenRequest(exchange: Exchange): Promise<TokenRequest> {
  const form = await readForm(exchange, maxBytes).catch((error: unknown) => {
    throw error instanceof StatusError ? invalidRequest(error.status.message ?? 'the body cannot be read') : error;
  });
  return tokenRequestIn(form);
}

function tokenRequestIn(form: URLSearchParams): TokenRequest {
  const single = (name: string): string => {
    const [value = '', ...further] = form.getAll(name);
    if (further.length > 0) throw invalidRequest(`the parameter ${name} is present twice`);
    return value;
  };
  const grant = single('grant_type');
  if (grant === '') throw invalidRequest('the parameter grant_type is missing');
  if (grant !== tokenExchange)
    throw new OAuthError('unsupported_grant_type', `the parameter grant_type must be ${tokenExchange}`);
  const token = single('subject_token');
  if (token === '') throw invalidRequest('the parameter subject_token is missing');
  if (!subjectTokenTypes.includes(single('subject_token_type')))
    throw invalidRequest(`the parameter subject_token_type must be ${subjectTokenTypes.join(' or ')}`);
  if (!['', accessTokenType].includes(single('requested_token_type')))
    throw invalidRequest(`the parameter requested_token_type must be ${accessTokenType}, or absent`);
  if (form.has('actor_token')) throw invalidRequest('the parameter actor_token is not supported');
  const rule = single('scope').trim();
  return {
    token,
    rule: rule === '' ? undefined : rule,
    targets: [...form.getAll('audience'), ...form.getAll('resource')].filter((target) => target !== ''),
  };
}
