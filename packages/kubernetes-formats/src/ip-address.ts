/** An IP address as an integer. `bits` is 32 for IPv4 and 128 for IPv6. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/**
 * Parses an IP address as Go's net/netip does: leading zeros are invalid, and only IPv6 addresses can have a zone.
 * `fault` is Go's error message. IPv4-mapped IPv6 addresses are invalid; `mapped` is the IPv4 address.
 */
export function parseIp(text: string): IpAddress | { readonly fault: string; readonly mapped?: IpAddress } {
  const zone = text.indexOf('%');
  if (!text.includes(':')) return zone < 0 ? parseVersion4(text) : refused(text, 'unable to parse IP');
  const found = parseVersion6(zone < 0 ? text : text.slice(0, zone), text);
  if ('fault' in found) return found;
  if (zone >= 0) return { fault: `IP address ${JSON.stringify(text)} with zone value is not allowed` };
  if (found.value >> 32n !== 0xffffn) return found;
  const mapped: IpAddress = { bits: 32, value: found.value & 0xffff_ffffn };
  return { fault: `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`, mapped };
}

function refused(text: string, why: string): { readonly fault: string } {
  const quoted = JSON.stringify(text);
  return { fault: `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): ${why}` };
}

function parseVersion4(text: string): IpAddress | { readonly fault: string } {
  const parts = text.split('.');
  if (parts.length === 1 || !/^[0-9.]+$/.test(text)) return refused(text, 'unable to parse IP');
  if (parts.length !== 4) {
    return refused(text, parts.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short');
  }
  let value = 0n;
  for (const part of parts) {
    if (part === '') return refused(text, 'IPv4 field must have at least one digit');
    if (part.length > 1 && part.startsWith('0')) return refused(text, 'IPv4 field has octet with leading zero');
    if (part.length > 3 || Number(part) > 255) return refused(text, 'IPv4 field has value >255');
    value = (value << 8n) | BigInt(part);
  }
  return { bits: 32, value };
}

function parseVersion6(text: string, whole: string): IpAddress | { readonly fault: string } {
  const start = text.lastIndexOf(':') + 1;
  const last = text.slice(start);
  let groups = text;
  if (last.includes('.') && /^[0-9.]*$/.test(last)) {
    const embedded = parseVersion4(last);
    if ('fault' in embedded) return refused(whole, 'unable to parse IP');
    groups = `${text.slice(0, start)}${(embedded.value >> 16n).toString(16)}:${(embedded.value & 0xffffn).toString(16)}`;
  }
  const halves = groups.split('::');
  if (halves.length > 2) return refused(whole, 'multiple :: in address');
  const [front, back] = halves.map((half) => (half === '' ? [] : half.split(':'))) as [string[], string[] | undefined];
  const count = front.length + (back?.length ?? 0);
  if (back === undefined ? count !== 8 : count > 7) {
    return refused(
      whole,
      back === undefined && count < 8 ? 'address string too short' : 'trailing garbage after address',
    );
  }
  const all = back === undefined ? front : [...front, ...Array.from({ length: 8 - count }, () => '0'), ...back];
  let value = 0n;
  for (const group of all) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return refused(whole, 'unable to parse IP');
    value = (value << 16n) | BigInt(`0x${group}`);
  }
  return { bits: 128, value };
}

/** Formats an address in the canonical form of RFC 5952. */
export function formatIp({ bits, value }: IpAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - at * 16)) & 0xffffn);
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0n) length++;
    if (length > best.length) best = { start, length };
  }
  const text = (part: readonly bigint[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.length < 2) return text(groups);
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`;
}

/** Clears all bits of an address after the first `length` bits. */
export function maskIp({ bits, value }: IpAddress, length: number): IpAddress {
  const free = BigInt(bits - length);
  return { bits, value: (value >> free) << free };
}
