import { formatIp, type IpAddress, maskIp, parseIp } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import { ipErrors } from './ip-rules.ts';

/** A range of IP addresses: `10.0.0.0/8`. */
interface IpRange {
  readonly address: IpAddress;
  readonly length: number;
}

function partsOf(text: string): [address: string, length: string] {
  const [, address = '', length = ''] = /^([^/]*)\/([0-9]+)$/.exec(text) ?? [];
  return [address, length];
}

/** Returns a range; `undefined` if the text is not a range in the usual notation. */
export function parseIpRange(text: string): IpRange | undefined {
  const [written, length] = partsOf(text);
  const address = parseIp(written);
  if ('fault' in address || /^0[0-9]/.test(length) || Number(length) > address.bits) return undefined;
  return { address, length: Number(length) };
}

/** True if all addresses of a range are also in a larger range. */
export function isPartOf(range: IpRange, whole: IpRange): boolean {
  const isSmaller = range.address.bits === whole.address.bits && range.length > whole.length;
  return isSmaller && maskIp(range.address, whole.length).value === maskIp(whole.address, whole.length).value;
}

/** Returns the errors of an IP address range, worded as in Kubernetes. */
export function rangeErrors(path: string, text: string): FieldError[] {
  const fault = rangeFault(text);
  return fault === undefined ? [] : [invalid(path, text, fault)];
}

function rangeFault(text: string): string | undefined {
  const [written, length] = partsOf(text);
  const [error] = ipErrors('', written);
  const most = written.includes(':') ? 128 : 32;
  if (error?.message.includes('must be a valid IP address') || length === '' || Number(length) > most) {
    return 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  }
  if (error?.message.includes('leading 0s') || /^0[0-9]/.test(length)) {
    return 'must not have leading 0s in IP or prefix length';
  }
  const range = parseIpRange(text);
  if (range === undefined) return 'must not have an IPv4-mapped IPv6 address';
  const isFirst = maskIp(range.address, range.length).value === range.address.value;
  return isFirst ? undefined : 'must not have bits set beyond the prefix length';
}

function canonicalForm({ address, length }: IpRange): string {
  return `${formatIp(address)}/${length}`;
}

/** Returns the errors of a range that must be in canonical form. */
export function canonicalRangeErrors(path: string, text: string): FieldError[] {
  const errors = rangeErrors(path, text);
  const range = parseIpRange(text);
  if (errors.length > 0 || range === undefined || canonicalForm(range) === text) return errors;
  return [invalid(path, text, `must be in canonical form (${JSON.stringify(canonicalForm(range))})`)];
}

/** Returns the warnings about a valid range. */
export function rangeWarnings(path: string, text: string): string[] {
  const range = parseIpRange(text);
  if (range === undefined || range.address.bits === 32) return [];
  const canonical = canonicalForm(range);
  if (text === canonical) return [];
  return [`${path}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${canonical}")`];
}
