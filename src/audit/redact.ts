/**
 * Query parameters of the API, whose values are kept: paths, numbers, selectors and names of managers. All other
 * parameters keep their name and lose their value, because it is unknown what a client put there.
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
 * Matches keys and tokens of this server in unexpected locations (a path, a selector, a user agent). A token must start
 * at a word boundary: otherwise a text of many token prefixes would take quadratic time.
 */
const secretPattern = /flk_[A-Za-z0-9]{8,}|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;

export const redacted = '[redacted]';

/**
 * Fast path: hardly any text contains a secret, and testing for the prefixes is much faster than the full match.
 * Testing for one rare character of each prefix first is faster still.
 */
export function mayContainSecret(text: string): boolean {
  return (text.includes('_') && text.includes('flk_')) || (text.includes('J') && text.includes('eyJ'));
}

/** Longer texts add no information about a request, and lines should stay short. */
const maxUriLength = 4096;
const maxUserAgentLength = 256;

/** Path and query of a URL without anything that could be a secret. */
export function redactUri(uri: string): string {
  const question = uri.indexOf('?');
  if (question < 0) return redactText(uri, maxUriLength);
  const query = uri
    .slice(question + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return knownParameters.has(pair) || pair === '' ? pair : redacted;
      const name = pair.slice(0, equals);
      if (name === 'fieldSelector') return `${name}=${redactFields(pair.slice(equals + 1))}`;
      return knownParameters.has(name) ? pair : `${name}=${redacted}`;
    })
    .join('&');
  return redactText(`${uri.slice(0, question)}?${query}`, maxUriLength);
}

/** A selector value for a spec field can be a value that is never returned. */
function redactFields(selector: string): string {
  return selector
    .split(/,|%2C/i)
    .map((requirement) => {
      const [field = '', ...rest] = requirement.split(/=|%3D|!|%21/i);
      if (requirement === '' || (rest.length > 0 && /^metadata\.name(space)?$/.test(field))) return requirement;
      return rest.length === 0 ? redacted : `${field}=${redacted}`;
    })
    .join(',');
}

export function redactUserAgent(userAgent: string): string {
  return redactText(userAgent, maxUserAgentLength);
}

/** Redacts a complete JSON line, including keys that were pasted into a name, a field manager or an ID. */
export function redactLine(json: string): string {
  return mayContainSecret(json) ? json.replace(secretPattern, redacted) : json;
}

function redactText(text: string, maxLength: number): string {
  const clean = redactLine(text);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
