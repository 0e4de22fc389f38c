import { formatIp, type IpAddress, maskIp, parseIp } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../../api/field-error.ts';

/** Removes the leading zeros of the decimal parts of an address. Some parsers of Go ignore leading zeros. */
function withoutLeadingZeros(text: string): string {
  if (!text.includes('.')) return text;
  return text.replace(/[^.:]+/g, (part: string, at: number) => {
    const isDecimal = text[at + part.length] !== ':' && /^\d+$/.test(part);
    return isDecimal ? part.replace(/^0+(?=\d)/, '') : part;
  });
}

function parsed(text: string): IpAddress | undefined {
  const found = parseIp(text);
  return 'fault' in found ? undefined : found;
}

/** True if the text is an IPv6 address that contains an IPv4 address: `::ffff:10.0.0.1`. */
function isMapped(text: string): boolean {
  const found = parseIp(text);
  return 'fault' in found && found.mapped !== undefined;
}

/** Returns the errors of an IP address, which need not be in canonical form. */
export function ipErrors(path: string, text: string): FieldError[] {
  if (parsed(text) !== undefined) return [];
  if (isMapped(text)) return [invalid(path, text, 'must not be an IPv4-mapped IPv6 address')];
  const repaired = withoutLeadingZeros(text);
  if (parsed(repaired) !== undefined || isMapped(repaired)) return [invalid(path, text, 'must not have leading 0s')];
  return [invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

/** True if the text is an IP address in any form. */
export function isIp(text: string): boolean {
  return parsedSloppily(text) !== undefined;
}

/** Returns the errors of an IP address that must be in canonical form. */
export function canonicalIpErrors(path: string, text: string): FieldError[] {
  const found = parsed(text);
  if (found === undefined) return ipErrors(path, text);
  const canonical = formatIp(found);
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

export function ipWarnings(path: string, text: string): string[] {
  const found = parsed(text);
  if (found === undefined || found.bits === 32) return [];
  const canonical = formatIp(found);
  if (text === canonical) return [];
  return [`${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`];
}

export function isIpv4(text: string): boolean {
  return parsed(text)?.bits === 32;
}

const isIn = ({ bits, value }: IpAddress, network: string, length: number): boolean => {
  const other = parsed(network);
  return other?.bits === bits && maskIp({ bits, value }, length).value === other.value;
};

/** Parses an address as older versions of Go did, which accepted leading zeros and IPv4-mapped IPv6 addresses. */
function parsedSloppily(text: string): IpAddress | undefined {
  const found = parseIp(withoutLeadingZeros(text));
  return 'fault' in found ? found.mapped : found;
}

/** Returns the errors of the address of an endpoint. */
export function endpointIpErrors(path: string, text: string): FieldError[] {
  const found = parsedSloppily(text);
  if (found === undefined) return [invalid(path, text, 'must be a valid IP address')];
  const faults = [
    ...(found.value === 0n ? [`may not be unspecified (${text})`] : []),
    ...(isIn(found, '127.0.0.0', 8) || isIn(found, '::1', 128)
      ? ['may not be in the loopback range (127.0.0.0/8, ::1/128)']
      : []),
    ...(isIn(found, '169.254.0.0', 16) || isIn(found, 'fe80::', 10)
      ? ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']
      : []),
    ...(isIn(found, '224.0.0.0', 24) || isLinkLocalMulticast(found)
      ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']
      : []),
  ];
  return faults.map((fault) => invalid(path, text, fault));
}

/** True for IPv6 addresses whose first byte is ff and whose scope is 2. */
function isLinkLocalMulticast({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 120n === 0xffn && ((value >> 112n) & 0xfn) === 2n;
}

/** Returns the errors of an interface address: the address with the length of its network, such as `10.9.8.7/24`. */
export function interfaceAddressErrors(path: string, text: string): FieldError[] {
  const slash = text.indexOf('/');
  const [address, length] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  const found = parsedSloppily(address);
  const bits = /^\d+$/.test(length) ? Number(length) : Number.NaN;
  const isWide = address.includes(':');
  if (found === undefined || !(bits <= (isWide ? 128 : 32))) {
    return [invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  }
  // An IPv4-mapped IPv6 address is shown as an IPv4 address, whose prefix is 96 bits shorter.
  const shown = isWide && found.bits === 32 && bits > 32 ? bits - 96 : bits;
  const canonical = `${formatIp(found)}/${shown}`;
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}
