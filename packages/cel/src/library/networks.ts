import { formatIp, type IpAddress, maskIp, parseIp } from '@flotilla/kubernetes-formats';
import { BOOL, INT, opaque, STRING } from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelOpaque } from '../value.ts';

const IP = opaque('net.IP');
const CIDR = opaque('net.CIDR');

class CelIp extends CelOpaque {
  readonly typeName = 'net.IP';
  readonly address: IpAddress;
  override readonly size: number;
  constructor(address: IpAddress) {
    super();
    this.address = address;
    this.size = address.bits / 8;
  }
  equals(other: CelOpaque): boolean {
    return (
      other instanceof CelIp && other.address.bits === this.address.bits && other.address.value === this.address.value
    );
  }
}

class CelCidr extends CelOpaque {
  readonly typeName = 'net.CIDR';
  readonly address: IpAddress;
  readonly length: number;
  override readonly size: number;
  constructor(address: IpAddress, length: number) {
    super();
    this.address = address;
    this.length = length;
    this.size = Math.ceil(length / 8);
  }
  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelCidr) || other.length !== this.length) return false;
    return other.address.bits === this.address.bits && other.address.value === this.address.value;
  }
  holds(address: IpAddress): boolean {
    if (address.bits !== this.address.bits) return false;
    return maskIp(address, this.length).value === maskIp(this.address, this.length).value;
  }
}

type OneIp = readonly [CelIp];
type OneCidr = readonly [CelCidr];
type Text = readonly [string];

/** The CEL functions for IP addresses and CIDR ranges. */
export const networks: readonly Overload[] = [
  overload('ip', 'string_to_ip', signature([STRING], IP), ([text]: Text) => ipOf(text)),
  overload('isIP', 'is_ip', signature([STRING], BOOL), ([text]: Text) => !('fault' in parseIp(text))),
  overload(
    'ip.isCanonical',
    'ip_is_canonical',
    signature([STRING], BOOL),
    ([text]: Text) => formatIp(ipOf(text).address) === text,
  ),
  overload('string', 'ip_to_string', signature([IP], STRING), ([ip]: OneIp) => formatIp(ip.address)),
  method('family', 'ip_family', signature([IP], INT), ([ip]: OneIp) => (ip.address.bits === 32 ? 4n : 6n)),
  ...is('isUnspecified', 'ip_is_unspecified', ({ value }) => value === 0n),
  ...is('isLoopback', 'ip_is_loopback', ({ bits, value }) => (bits === 32 ? value >> 24n === 127n : value === 1n)),
  ...is('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
  ...is('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
  ...is('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),

  overload('cidr', 'string_to_cidr', signature([STRING], CIDR), ([text]: Text) => cidrOf(text)),
  overload('isCIDR', 'is_cidr', signature([STRING], BOOL), ([text]: Text) => parseCidr(text) !== undefined),
  overload(
    'string',
    'cidr_to_string',
    signature([CIDR], STRING),
    ([net]: OneCidr) => `${formatIp(net.address)}/${net.length}`,
  ),
  method(
    'containsIP',
    'cidr_contains_ip_string',
    signature([CIDR, STRING], BOOL),
    ([net, text]: readonly [CelCidr, string]) => net.holds(ipOf(text).address),
  ),
  method('containsIP', 'cidr_contains_ip_ip', signature([CIDR, IP], BOOL), ([net, ip]: readonly [CelCidr, CelIp]) =>
    net.holds(ip.address),
  ),
  method(
    'containsCIDR',
    'cidr_contains_cidr_string',
    signature([CIDR, STRING], BOOL),
    ([net, text]: readonly [CelCidr, string]) => includes(net, cidrOf(text)),
  ),
  method(
    'containsCIDR',
    'cidr_contains_cidr',
    signature([CIDR, CIDR], BOOL),
    ([net, other]: readonly [CelCidr, CelCidr]) => includes(net, other),
  ),
  method('ip', 'cidr_ip', signature([CIDR], IP), ([net]: OneCidr) => new CelIp(net.address)),
  method('prefixLength', 'cidr_prefix_length', signature([CIDR], INT), ([net]: OneCidr) => BigInt(net.length)),
  method(
    'masked',
    'cidr_masked',
    signature([CIDR], CIDR),
    ([net]: OneCidr) => new CelCidr(maskIp(net.address, net.length), net.length),
  ),
];

function is(name: string, id: string, holds: (address: IpAddress) => boolean): Overload[] {
  return [method(name, id, signature([IP], BOOL), ([ip]: OneIp) => holds(ip.address))];
}

function ipOf(text: string): CelIp {
  const address = parseIp(text);
  if ('fault' in address) throw new EvaluationError(address.fault);
  return new CelIp(address);
}

function parseCidr(text: string): CelCidr | undefined {
  const [, host = '', length = ''] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseIp(host);
  if ('fault' in address || Number(length) > address.bits) return undefined;
  return new CelCidr(address, Number(length));
}

function cidrOf(text: string): CelCidr {
  const found = parseCidr(text);
  if (found !== undefined) return found;
  const fault = !text.includes('/')
    ? "no '/'"
    : /\/\d+$/.test(text)
      ? 'prefix length out of range'
      : 'bad bits after slash';
  const parse = `netip.ParsePrefix(${JSON.stringify(text)}): ${fault}`;
  const why = `network address parse error during conversion from string: ${parse}`;
  throw new EvaluationError(`network address parse error during conversion from string: ${why}`);
}

function includes(net: CelCidr, other: CelCidr): boolean {
  return net.length <= other.length && net.holds(other.address);
}

function isLinkLocalMulticast({ bits, value }: IpAddress): boolean {
  return bits === 32 ? value >> 8n === 0xe00000n : value >> 112n === 0xff02n;
}

function isLinkLocalUnicast({ bits, value }: IpAddress): boolean {
  return bits === 32 ? value >> 16n === 0xa9fen : value >> 118n === 0xfe80n >> 6n;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const { bits, value } = address;
  if (value === 0n || isLinkLocalUnicast(address)) return false;
  if (bits === 32) return value !== 0xffffffffn && value >> 24n !== 127n && value >> 28n !== 0xen;
  return value !== 1n && value >> 120n !== 0xffn;
}
