import {
  dns1035LabelFaults,
  labelFaults,
  labelValueFaults,
  matchesFormat,
  qualifiedNameFaults,
  subdomainFaults,
} from '@flotilla/kubernetes-formats';
import { listOf, opaque, optionalOf, STRING } from '../cel-type.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelOpaque, CelOptional, PlainList } from '../value.ts';
import { parseRequestUri } from './go-url.ts';

const FORMAT = opaque('kubernetes.NamedFormat');

class CelFormat extends CelOpaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly faults: (text: string) => readonly string[];
  /** The length of the format's regular expression, from which the cost of `validate` is computed. */
  override readonly size: number;
  constructor(name: string, size: number, faults: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.size = size;
    this.faults = faults;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelFormat && other.name === this.name;
  }
}

const FORMATS: ReadonlyMap<string, CelFormat> = new Map(
  [
    new CelFormat('dns1123Label', 30, labelFaults),
    new CelFormat('dns1123Subdomain', 60, subdomainFaults),
    new CelFormat('dns1035Label', 30, dns1035LabelFaults),
    new CelFormat('qualifiedName', 60, qualifiedNameFaults),
    new CelFormat('dns1123LabelPrefix', 30, (text) => labelFaults(asPrefix(text))),
    new CelFormat('dns1123SubdomainPrefix', 60, (text) => subdomainFaults(asPrefix(text))),
    new CelFormat('dns1035LabelPrefix', 30, (text) => dns1035LabelFaults(asPrefix(text))),
    new CelFormat('labelValue', 40, labelValueFaults),
    new CelFormat('uri', 1103, (text) => {
      const url = parseRequestUri(text);
      return 'fault' in url ? [url.fault] : [];
    }),
    new CelFormat('uuid', 70, (text) => (matchesFormat('uuid', text) ? [] : ['does not match the UUID format'])),
    new CelFormat('byte', 84, (text) => (matchesFormat('byte', text) ? [] : ['invalid base64'])),
    new CelFormat('date', 71, (text) => (matchesFormat('date', text) ? [] : ['invalid date'])),
    new CelFormat('datetime', 71, (text) => (matchesFormat('date-time', text) ? [] : ['invalid datetime'])),
  ].map((format) => [format.name, format]),
);

/** Replaces a trailing dash by a letter. A name prefix may end with a dash, because the server appends a suffix. */
function asPrefix(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
}

/** The functions of named formats: `format.dns1123Label().validate(self.name)` returns the errors of a text. */
export const namedFormats: readonly Overload[] = [
  ...[...FORMATS].map(([name, format]) =>
    overload(`format.${name}`, `format.${name}`, signature([], FORMAT), () => format),
  ),
  overload('format.named', 'format-named', signature([STRING], optionalOf(FORMAT)), ([name]: readonly [string]) => {
    const format = FORMATS.get(name);
    return format === undefined ? CelOptional.none : CelOptional.of(format);
  }),
  method(
    'validate',
    'format-validate',
    signature([FORMAT, STRING], optionalOf(listOf(STRING))),
    ([format, text]: readonly [CelFormat, string]) => {
      const faults = format.faults(text);
      return faults.length === 0 ? CelOptional.none : CelOptional.of(new PlainList([...faults]));
    },
  ),
];
