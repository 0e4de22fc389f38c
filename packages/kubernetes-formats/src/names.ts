import { byteLength } from './byte-length.ts';

/**
 * Validation of names. Each function returns Kubernetes' error messages; an empty list means that the name is valid.
 * The messages quote exactly the regular expressions that the functions test.
 */
const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
/** A DNS label according to RFC 1035, which starts with a letter. */
const relativeLabelFormat = '[a-z]([-a-z0-9]*[a-z0-9])?';
const keyNameFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const valueFormat = `(${keyNameFormat})?`;

const label = new RegExp(`^${labelFormat}$`);
const subdomain = new RegExp(`^${subdomainFormat}$`);
const relativeLabel = new RegExp(`^${relativeLabelFormat}$`);
const keyName = new RegExp(`^${keyNameFormat}$`);
const value = new RegExp(`^${valueFormat}$`);

const subdomainLength = 253;
const labelLength = 63;

function mustMatch(rule: string, format: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join('or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${format}')`;
}

export function maxBytesMessage(most: number): string {
  return `must be no more than ${most} bytes`;
}

/**
 * True if the text matches and is not too long. Texts that match any expression in this file have one byte per
 * character.
 */
function fits(text: string, expression: RegExp, most: number): boolean {
  return text.length <= most && expression.test(text);
}

export function subdomainFaults(name: string): string[] {
  const faults: string[] = [];
  if (fits(name, subdomain, subdomainLength)) return faults;
  if (byteLength(name) > subdomainLength) faults.push(maxBytesMessage(subdomainLength));
  if (!subdomain.test(name)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    faults.push(mustMatch(rule, subdomainFormat, 'example.com'));
  }
  return faults;
}

export function labelFaults(name: string): string[] {
  const faults: string[] = [];
  if (fits(name, label, labelLength)) return faults;
  if (byteLength(name) > labelLength) faults.push(maxBytesMessage(labelLength));
  if (!label.test(name)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    faults.push(subdomain.test(name) ? 'must not contain dots' : mustMatch(rule, labelFormat, 'my-name', '123-abc'));
  }
  return faults;
}

export function dns1035LabelFaults(name: string): string[] {
  const faults: string[] = [];
  // In Kubernetes, this older rule counts bytes, although its messages say characters.
  if (byteLength(name) > labelLength) faults.push(`must be no more than ${labelLength} characters`);
  if (!relativeLabel.test(name)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    faults.push(`${rule} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${relativeLabelFormat}')`);
  }
  return faults;
}

/**
 * Returns the errors of a name that is not a single path segment. No kind allows a name with several segments (rule
 * META-04).
 */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ['MyName', 'my.name', '123-abc'] as const;

/** Cache of valid names, because many objects use the same label keys and finalizers. */
const validNames = new Set<string>();
const maxCachedNames = 1_000;
const maxCachedLength = 128;

/** Validates label keys, annotation keys and finalizers: a name, optionally preceded by a DNS subdomain and a slash. */
export function qualifiedNameFaults(text: string): string[] {
  if (validNames.has(text)) return [];
  const faults = findQualifiedNameFaults(text);
  if (faults.length === 0 && text.length <= maxCachedLength) {
    if (validNames.size >= maxCachedNames) validNames.clear();
    validNames.add(text);
  }
  return faults;
}

function findQualifiedNameFaults(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    const shape = mustMatch(`a valid label key ${keyRule}`, keyNameFormat, ...keyExamples);
    return [`${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const faults: string[] = [];
  const name = parts.at(-1) ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const found = prefix === '' ? ['must be non-empty'] : subdomainFaults(prefix);
    faults.push(...found.map((fault) => `prefix part ${fault}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (byteLength(name) > labelLength) faults.push(`name part ${maxBytesMessage(labelLength)}`);
  if (!keyName.test(name)) faults.push(mustMatch(`name part ${keyRule}`, keyNameFormat, ...keyExamples));
  return faults;
}

export function labelValueFaults(text: string): string[] {
  const faults: string[] = [];
  if (fits(text, value, labelLength)) return faults;
  if (byteLength(text) > labelLength) faults.push(maxBytesMessage(labelLength));
  if (!value.test(text)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    faults.push(mustMatch(rule, valueFormat, 'MyValue', 'my_value', '12345'));
  }
  return faults;
}

export type NameRule = 'subdomain' | 'label' | 'path-segment';

export interface NameLimits {
  /** The rule for the characters of a name. Optional; defaults to `subdomain`. */
  readonly nameRule?: NameRule;
  /** Maximum length of a name. Optional; defaults to the maximum of the name rule. */
  readonly maxNameLength?: number;
}

export function nameFaults(name: string, limits: NameLimits = {}): string[] {
  const rule = limits.nameRule ?? 'subdomain';
  const faults = rule === 'subdomain' ? subdomainFaults(name) : rule === 'label' ? labelFaults(name) : [];
  const most = limits.maxNameLength;
  const isLengthReported = faults.some((fault) => fault.startsWith('must be no more than'));
  if (most !== undefined && !isLengthReported && byteLength(name) > most) faults.unshift(maxBytesMessage(most));
  // The path segment rule is checked only if the kind's own name rule finds no error (rule CREATE-32).
  return faults.length > 0 ? faults : pathSegmentFaults(name);
}

/** Validates a generateName, which is the prefix of a name. It may end with a dash, because a suffix is appended. */
export function generateNameFaults(prefix: string, limits: NameLimits = {}): string[] {
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  const rule = limits.nameRule ?? 'subdomain';
  // `maxNameLength` does not apply, because the server truncates a long prefix before it appends the suffix.
  return rule === 'path-segment'
    ? pathSegmentFaults(prefix).filter((fault) => !fault.startsWith('may not be'))
    : nameFaults(masked, { nameRule: rule });
}
