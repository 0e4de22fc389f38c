/**
 * Query parameters that the API itself knows: their values are paths, numbers, selectors and names of managers, and
 * they stay. Every other parameter keeps its name and loses its value, since nobody can say what a client put there.
 */
const harmless: ReadonlySet<string> = new Set([
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
 * What our keys and tokens look like, should one stand where it does not belong (a path, a selector, a user agent). A
 * token begins where a word begins: otherwise a text of nothing but beginnings would be read to its end from each.
 */
const secretLooking = /flk_[A-Za-z0-9]{8,}|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;

export const redacted = '[redacted]';

/**
 * Hardly any text has one, and to look for how they begin is much faster than to look for them; for one rare character of
 * that, much faster still.
 */
export function mayHoldSecret(text: string): boolean {
  return (text.includes('_') && text.includes('flk_')) || (text.includes('J') && text.includes('eyJ'));
}

/** Longer texts say nothing more about a request, and a line must stay a line. */
const longestUri = 4096;
const longestUserAgent = 256;

/** A URL's path and query without anything that could be a secret. */
export function redactUri(uri: string): string {
  const question = uri.indexOf('?');
  if (question < 0) return redactText(uri, longestUri);
  const query = uri
    .slice(question + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return harmless.has(pair) || pair === '' ? pair : redacted;
      const name = pair.slice(0, equals);
      if (name === 'fieldSelector') return `${name}=${redactFields(pair.slice(equals + 1))}`;
      return harmless.has(name) ? pair : `${name}=${redacted}`;
    })
    .join('&');
  return redactText(`${uri.slice(0, question)}?${query}`, longestUri);
}

/** What somebody looks for in a member of spec can be the very value that is never served. */
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
  return redactText(userAgent, longestUserAgent);
}

/** A whole line, as JSON: a key pasted where a name, a manager or an id belongs is not kept either. */
export function redactLine(json: string): string {
  return mayHoldSecret(json) ? json.replace(secretLooking, redacted) : json;
}

function redactText(text: string, longest: number): string {
  const clean = redactLine(text);
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
