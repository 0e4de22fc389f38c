import { byteLength } from './byte-length.ts';

/**
 * Name rules. Each gives what is wrong as sentences, in the words of Kubernetes; none: the name is good. The
 * expressions printed in the sentences are the ones that decide.
 */
const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
/** RFC 1035, where a label begins with a letter. */
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

export function tooManyBytes(most: number): string {
  return `must be no more than ${most} bytes`;
}

/** What matches one of the expressions has one byte for each character. */
function fits(text: string, expression: RegExp, most: number): boolean {
  return text.length <= most && expression.test(text);
}

export function subdomainFaults(name: string): string[] {
  const faults: string[] = [];
  if (fits(name, subdomain, subdomainLength)) return faults;
  if (byteLength(name) > subdomainLength) faults.push(tooManyBytes(subdomainLength));
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
  if (byteLength(name) > labelLength) faults.push(tooManyBytes(labelLength));
  if (!label.test(name)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    faults.push(subdomain.test(name) ? 'must not contain dots' : mustMatch(rule, labelFormat, 'my-name', '123-abc'));
  }
  return faults;
}

export function relativeLabelFaults(name: string): string[] {
  const faults: string[] = [];
  // Of the older rules: their sentences are older too.
  if (byteLength(name) > labelLength) faults.push(`must be no more than ${labelLength} characters`);
  if (!relativeLabel.test(name)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    faults.push(`${rule} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${relativeLabelFormat}')`);
  }
  return faults;
}

/** What no kind allows, because the name would not be one segment of a path (rule META-04). */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ['MyName', 'my.name', '123-abc'] as const;

/** Names without fault that have lately been seen: objects have many of them in common. */
const faultless = new Set<string>();
const mostRemembered = 1_000;
const longestRemembered = 128;

/** Label keys, annotation keys, finalizers: a name, with a DNS subdomain and a slash before it if wanted. */
export function qualifiedNameFaults(text: string): string[] {
  if (faultless.has(text)) return [];
  const faults = lookForFaults(text);
  if (faults.length === 0 && text.length <= longestRemembered) {
    if (faultless.size >= mostRemembered) faultless.clear();
    faultless.add(text);
  }
  return faults;
}

function lookForFaults(text: string): string[] {
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
  else if (byteLength(name) > labelLength) faults.push(`name part ${tooManyBytes(labelLength)}`);
  if (!keyName.test(name)) faults.push(mustMatch(`name part ${keyRule}`, keyNameFormat, ...keyExamples));
  return faults;
}

export function labelValueFaults(text: string): string[] {
  const faults: string[] = [];
  if (fits(text, value, labelLength)) return faults;
  if (byteLength(text) > labelLength) faults.push(tooManyBytes(labelLength));
  if (!value.test(text)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    faults.push(mustMatch(rule, valueFormat, 'MyValue', 'my_value', '12345'));
  }
  return faults;
}

export type NameRule = 'subdomain' | 'label' | 'path-segment';

export interface NameLimits {
  /** Absent: DNS subdomain. */
  readonly nameRule?: NameRule;
  /** Absent: what the rule allows. */
  readonly maxNameLength?: number;
}

export function nameFaults(name: string, limits: NameLimits = {}): string[] {
  const rule = limits.nameRule ?? 'subdomain';
  const faults = rule === 'subdomain' ? subdomainFaults(name) : rule === 'label' ? labelFaults(name) : [];
  const most = limits.maxNameLength;
  const told = faults.some((fault) => fault.startsWith('must be no more than'));
  if (most !== undefined && !told && byteLength(name) > most) faults.unshift(tooManyBytes(most));
  // What is more general is looked at only where the kind's own rule finds nothing (rule CREATE-32).
  return faults.length > 0 ? faults : pathSegmentFaults(name);
}

/** A generateName is the beginning of a name: it may end with a dash, as something will follow. */
export function generateNameFaults(prefix: string, limits: NameLimits = {}): string[] {
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  const rule = limits.nameRule ?? 'subdomain';
  // The server cuts a long beginning before it puts the rest behind it, so only the rule's own length counts.
  return rule === 'path-segment'
    ? pathSegmentFaults(prefix).filter((fault) => !fault.startsWith('may not be'))
    : nameFaults(masked, { nameRule: rule });
}
