import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import { grantedScopes } from './scopes.ts';

/** A valid authorization request of an app. */
export interface AuthorizationRequest {
  readonly client: OidcClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly scopes: readonly string[];
  /** The SHA-256 hash of the code verifier in base64url (RFC 7636). */
  readonly codeChallenge: string;
  /** The maximum age of the login in seconds; `undefined` if any age is accepted. */
  readonly maxAge: number | undefined;
  /** True if the user must be asked although the app already has a session in this login. */
  readonly asksConsent: boolean;
}

/** An error that the browser takes back to the app. Used only if the redirect URI is registered. */
export interface ReturnedError {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** The error code of RFC 6749 or OpenID Connect. */
  readonly error: string;
  readonly description: string;
}

/** The reason why a request must not cause a redirect. The reason may be shown only on a page of this server. */
export interface UntrustedRequest {
  readonly untrusted: string;
}

export type ReadAuthorizationRequest =
  | { readonly request: AuthorizationRequest }
  | { readonly returned: ReturnedError }
  | UntrustedRequest;

/**
 * The maximum length of an authorization request. `maxStateLength` and `maxNonceLength` limit its `state` and its
 * `nonce`. All are in characters. Apps send a few hundred characters.
 */
const maxRequestLength = 8_192;
const maxStateLength = 4_096;
const maxNonceLength = 512;

/** The maximum age in seconds of a login for a request with `prompt=login`. */
const freshLoginAge = 60;

const challengePattern = /^[A-Za-z0-9_-]{43}$/;
const agePattern = /^\d{1,9}$/;

/** The parameters that the console passes on from the authorization endpoint. */
const parameterNames: readonly string[] = [
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'prompt', 'max_age', 'request', 'request_uri', 'registration'],
];

/** Returns the parameters of an authorization request that this server reads. */
export function knownParameters(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name]) => parameterNames.includes(name)));
}

/**
 * Reads an authorization request. The redirect URI must be registered for the client; it is compared character by
 * character. Before this check has succeeded, nothing may redirect the browser, because the sender of the request chose
 * the address.
 */
export function readAuthorizationRequest(
  parameters: URLSearchParams,
  clients: ReadonlyMap<string, OidcClient>,
): ReadAuthorizationRequest {
  if (parameters.toString().length > maxRequestLength) return { untrusted: 'The sign-in request is too long.' };
  const client = clients.get(single(parameters, 'client_id') ?? '');
  if (client === undefined) return { untrusted: 'No app with this client ID is registered.' };
  const redirectUri = single(parameters, 'redirect_uri') ?? '';
  if (!client.redirectUris.includes(redirectUri)) {
    return { untrusted: `The redirect URI of the request is not registered for ${client.name}.` };
  }
  const state = parameters.get('state') ?? undefined;
  const isUsableState = (state?.length ?? 0) <= maxStateLength && parameters.getAll('state').length <= 1;
  const problem = isUsableState ? problemOf(parameters) : invalid('state is too long or is set twice');
  if (problem !== undefined) {
    const [error, description] = problem;
    return { returned: { redirectUri, state: isUsableState ? state : undefined, error, description } };
  }
  const prompts = promptsOf(parameters);
  const asksLogin = prompts.includes('login') || prompts.includes('select_account');
  const sentAge = parameters.get('max_age');
  const ages = [...(asksLogin ? [freshLoginAge] : []), ...(sentAge === null ? [] : [Number(sentAge)])];
  return {
    request: {
      client,
      redirectUri,
      state,
      nonce: parameters.get('nonce') ?? undefined,
      scopes: grantedScopes(parameters.get('scope') ?? ''),
      codeChallenge: parameters.get('code_challenge') ?? '',
      maxAge: ages.length === 0 ? undefined : Math.min(...ages),
      asksConsent: prompts.includes('consent'),
    },
  };
}

type Problem = readonly [error: string, description: string];

function invalid(description: string): Problem {
  return ['invalid_request', description];
}

/** Returns the first problem of a request with a registered redirect URI. */
function problemOf(parameters: URLSearchParams): Problem | undefined {
  const twice = parameterNames.find((name) => parameters.getAll(name).length > 1);
  if (twice !== undefined) return invalid(`${twice} is set twice`);
  const get = (name: string) => parameters.get(name) ?? '';
  if (parameters.has('request')) return ['request_not_supported', 'request is not supported'];
  if (parameters.has('request_uri')) return ['request_uri_not_supported', 'request_uri is not supported'];
  if (parameters.has('registration')) return ['registration_not_supported', 'registration is not supported'];
  if (get('response_type') !== 'code') return ['unsupported_response_type', 'response_type must be code'];
  if (!['', 'query'].includes(get('response_mode'))) return invalid('response_mode must be query');
  if (!get('scope').split(' ').includes('openid')) return ['invalid_scope', 'scope must contain openid'];
  if (get('code_challenge_method') !== 'S256') return invalid('code_challenge_method must be S256');
  if (!challengePattern.test(get('code_challenge')))
    return invalid('code_challenge must be 43 characters of base64url');
  if (get('nonce').length > maxNonceLength) return invalid('nonce is too long');
  if (parameters.has('max_age') && !agePattern.test(get('max_age'))) return invalid('max_age must be a number');
  const prompts = promptsOf(parameters);
  if (!prompts.includes('none')) return undefined;
  if (prompts.length > 1) return invalid('prompt must not contain none and other values');
  return ['login_required', 'the user must confirm each sign-in in the console'];
}

function promptsOf(parameters: URLSearchParams): string[] {
  return (parameters.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== '');
}

/** Returns a parameter that is set exactly once. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name);
  return others.length === 0 ? value : undefined;
}

/** Returns the URL with which the browser takes an error back to the app. */
export function errorUrl({ redirectUri, state, error, description }: ReturnedError, issuer: string): string {
  return returnUrl(redirectUri, { error, error_description: description, state, iss: issuer });
}

/** Adds parameters to a redirect URI. Keeps the registered parameters. */
export function returnUrl(redirectUri: string, added: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(added)) if (value !== undefined) parameters.append(name, value);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`;
}
