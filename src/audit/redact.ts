/**
 * Query parameters whose values appear in the audit log, because no API request puts a secret into them. For all other
 * parameters, only the name appears in the log, because a client can put anything into the values.
 */
const knownParameters: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'container',
  'continue',
  'dryRun',
  'exclude',
  'extended',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'follow',
  'force',
  'gracePeriodSeconds',
  'includeObject',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'revoke',
  'sendInitialEvents',
  'sinceSeconds',
  'tailLines',
  'timeout',
  'timeoutSeconds',
  'verbose',
  'watch',
]);

/**
 * Matches access keys and tokens of this server anywhere in a text, for example in a path or a user agent. A token
 * matches only if the character before it cannot be part of a token. Otherwise, a text of many token prefixes would
 * take quadratic time.
 */
const secretPattern = /flk_[A-Za-z0-9]{8,}|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;

export const redactedPlaceholder = '[redacted]';

/**
 * True if the text contains the prefix of an access key or a token. This fast check avoids the slow regular expression
 * for most texts. To be even faster, it first searches for the rarest character of each prefix.
 */
export function mayContainSecret(text: string): boolean {
  return (text.includes('_') && text.includes('flk_')) || (text.includes('J') && text.includes('eyJ'));
}

/** The maximum lengths of URIs and user agents in an audit line, in characters. The rest is cut off. */
const maxUriLength = 4096;
const maxUserAgentLength = 256;

/** Returns the path and query of a URL without values that could be secrets. */
export function redactUri(uri: string): string {
  const question = uri.indexOf('?');
  if (question < 0) return redactText(uri, maxUriLength);
  const query = uri
    .slice(question + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return knownParameters.has(pair) || pair === '' ? pair : redactedPlaceholder;
      const name = pair.slice(0, equals);
      if (name === 'fieldSelector') return `${name}=${redactFields(pair.slice(equals + 1))}`;
      return knownParameters.has(name) ? pair : `${name}=${redactedPlaceholder}`;
    })
    .join('&');
  return redactText(`${uri.slice(0, question)}?${query}`, maxUriLength);
}

/** Redacts the values of a field selector except names and namespaces, because a spec field may contain a secret. */
function redactFields(selector: string): string {
  return selector
    .split(/,|%2C/i)
    .map((requirement) => {
      const [field = '', ...rest] = requirement.split(/=|%3D|!|%21/i);
      if (requirement === '' || (rest.length > 0 && /^metadata\.name(space)?$/.test(field))) return requirement;
      return rest.length === 0 ? redactedPlaceholder : `${field}=${redactedPlaceholder}`;
    })
    .join(',');
}

export function redactUserAgent(userAgent: string): string {
  return redactText(userAgent, maxUserAgentLength);
}

/** Redacts all access keys and tokens in an audit line, for example a key that a user pasted into an object name. */
export function redactLine(json: string): string {
  return mayContainSecret(json) ? json.replace(secretPattern, redactedPlaceholder) : json;
}

function redactText(text: string, maxLength: number): string {
  const clean = redactLine(text);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
