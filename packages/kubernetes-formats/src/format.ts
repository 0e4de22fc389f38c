import { labelFaults, subdomainFaults } from './names.ts';

/**
 * The string formats that Kubernetes validates, by their name without dashes. Unknown formats only document the value.
 * The checks follow Kubernetes' OpenAPI library, including its quirks. Every regular expression runs in linear time.
 */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['datetime', isDateTime],
  ['date', isDate],
  ['duration', isDuration],
  ['byte', isBase64],
  ['password', () => true],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', matcher(/^[0-9a-f]{2}([:-][0-9a-f]{2}){5}([:-][0-9a-f]{2}){0,14}$|^[0-9a-f]{4}(\.[0-9a-f]{4}){2,9}$/i)],
  ['uuid', matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['bsonobjectid', matcher(/^[0-9a-f]{24}$/i)],
  ['ssn', matcher(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matcher(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', isRgbColor],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCardNumber],
  ['k8sshortname', (text) => labelFaults(text).length === 0],
  ['k8slongname', (text) => subdomainFaults(text).length === 0],
]);

export function matchesFormat(format: string, text: string): boolean {
  return formats.get(format.replaceAll('-', ''))?.(text) ?? true;
}

/** True if values of this format are validated. A value with an unknown format is checked for its type only. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === undefined || type === 'string') && formats.has(format.replaceAll('-', ''));
}

function matcher(expression: RegExp): (text: string) => boolean {
  return (text) => expression.test(text);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})t(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/i.exec(text);
  if (match === null) return false;
  const [, date = '', hours = '', minutes = '', seconds = ''] = match;
  return isDate(date) && hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** Durations in Go's format (`1h30m`) or in Scala's: a number and a unit, with optional space between them. */
const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const scalaDuration =
  /^\d+\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/i;

function isDuration(text: string): boolean {
  return goDuration.test(text) || scalaDuration.test(text);
}

function isBase64(text: string): boolean {
  const digits = text.replace(/[\r\n]/g, '');
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
}

function isUri(text: string): boolean {
  if (text.startsWith('/')) return !/[\s\p{Cc}]/u.test(text);
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);
}

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]+)>$/.exec(text)?.[1] ?? text;
  const at = address.lastIndexOf('@');
  return (
    at > 0 && at < address.length - 1 && !/[\s\p{Cc}<>()[\],;:\\"]/u.test(address.slice(0, at) + address.slice(at + 1))
  );
}

const hostLabel = /^[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$/u;

/** A host name with several labels must end with a label of letters only. A single label has no such restriction. */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  if (text.length > 255 || !labels.every((label) => label.length <= 63 && hostLabel.test(label))) return false;
  return labels.length === 1 || /^\p{L}{2,63}$/u.test(labels.at(-1) ?? '');
}

function isIpv4(text: string): boolean {
  return (
    /^\d{1,3}(\.\d{1,3}){3}$/.test(text) &&
    text.split('.').every((part) => String(Number(part)) === part && Number(part) < 256)
  );
}

function isIpv6(text: string): boolean {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted !== null && !isIpv4(dotted[2] ?? '')) return false;
  const groups = dotted === null ? text : `${dotted[1]}0:0`;
  const halves = groups.split('::');
  if (!groups.includes(':') || halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const complete = halves.length === 2 ? parts.length <= 7 : parts.length === 8;
  return complete && parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part));
}

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf('/');
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^\d{1,3}$/.test(bits) || String(Number(bits)) !== bits) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match?.slice(1).every((part) => String(Number(part)) === part && Number(part) < 256) ?? false;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, at) => total + (10 - at) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, at) => total + (at % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

const cardNumber =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Checks the Luhn checksum of a credit card number. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? Number(digit) : 2 * Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
