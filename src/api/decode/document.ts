import { JsonSyntaxError, parseJson } from '../../lib/json-parse.ts';
import { SortedText } from '../../lib/json-sorted-text.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { badRequest, type StatusError, tooLarge } from '../status.ts';
import { DocumentError } from './document-error.ts';
import { readYaml } from './yaml-document.ts';

export interface ReadDocument {
  readonly value: JsonValue;
  /** What strict decoding finds in the text itself: `duplicate field "spec.bar"`, or YAML's one text for all. */
  readonly findings: string[];
  /** Where it is JSON in which nothing was found: the texts of its parts, if those were asked for. */
  readonly texts?: SortedText | undefined;
}

/** Go takes broken UTF-8 in JSON and puts the replacement character; a byte order mark is an error of the parser's. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * Throws DocumentError, which `undecodable` makes an answer of, or 413. `isObject`: it is to be stored as it is, as a rule,
 * so the texts of its parts are wanted.
 */
export function readDocument(bytes: Uint8Array, format: 'json' | 'yaml', isObject = false): ReadDocument {
  return format === 'json' ? readJson(bytes, isObject) : readYamlBytes(bytes);
}

const yamlFindingPrefix = 'yaml: unmarshal errors:\n';

function readJson(bytes: Uint8Array, isObject: boolean): ReadDocument {
  try {
    const text = lenient.decode(bytes);
    const texts = isObject ? new SortedText(text, 'metadata') : undefined;
    const { value, duplicates } = parseJson(text, texts?.members);
    if (duplicates.length === 0) return { value, findings: [], texts };
    return { value, findings: duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DocumentError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/**
 * Reading YAML takes many times as long as reading JSON, and nobody is served meanwhile. The tools of Kubernetes send
 * JSON also where they say that it is YAML; what people write by hand is shorter.
 */
export const longestYaml = 128 * 1024;

function readYamlBytes(bytes: Uint8Array): ReadDocument {
  const text = decodeStrictly(bytes);
  const json = jsonOf(text);
  if (json !== undefined) return json;
  if (bytes.length > longestYaml) throw tooLarge(`limit of YAML that is not JSON is ${longestYaml}`);
  const { value, duplicates } = readYaml(text);
  if (duplicates.length === 0) return { value, findings: [] };
  return { value, findings: [`${yamlFindingPrefix}${duplicates.map((line) => `  ${line}`).join('\n')}`] };
}

/** undefined: it is not JSON, or has duplicates, of which YAML tells in its own way. */
function jsonOf(text: string): ReadDocument | undefined {
  if (text[0] !== '{') return undefined;
  try {
    const { value, duplicates } = parseJson(text);
    return duplicates.length === 0 ? { value, findings: [] } : undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return undefined;
  }
}

function decodeStrictly(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new DocumentError('yaml: invalid UTF-8');
  }
}

/** A finding as warnings: YAML's one text holds a line for each duplicate (rule DEC-13). */
export function warningsOf(finding: string): string[] {
  const start = finding.indexOf(yamlFindingPrefix);
  if (start < 0) return [finding];
  return finding
    .slice(start + yamlFindingPrefix.length)
    .split('\n')
    .map((line) => line.trim());
}

/** The answer to a body that could not be read (rule DEC-01). What is no fault of the body is thrown on as it is. */
export function undecodable(kind: ExpectedKind, bytes: Uint8Array, error: unknown): StatusError {
  if (!(error instanceof DocumentError)) throw error;
  const quoted = kind.confidential === true ? '' : ` (${summarize(bytes)})`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${error.message}${quoted}`);
}

export interface ExpectedKind {
  readonly kind: string;
  /** Nothing of the body may be quoted. */
  readonly confidential?: boolean;
}

const summaryBytes = 30;

function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, summaryBytes);
  const text =
    bytes[0] === 0x7b
      ? lenient.decode(start)
      : Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > summaryBytes ? `${text} ...` : text;
}
