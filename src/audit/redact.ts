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
      return harmless.has(name) ? pair : `${name}=${redacted}`;
    })
    .join('&');
  return redactText(`${uri.slice(0, question)}?${query}`, longestUri);
}

export function redactUserAgent(userAgent: string): string {
  return redactText(userAgent, longestUserAgent);
}

/** A whole line, as JSON: a key pasted where a name, a manager or an id belongs is not kept either. */
export function redactLine(json: string): string {
  return json.replace(secretLooking, redacted);
}

function redactText(text: string, longest: number): string {
  const clean = text.replace(secretLooking, redacted);
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
