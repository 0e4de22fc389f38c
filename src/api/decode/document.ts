import { JsonSyntaxError, type JsonValue, parseJson } from '@flotilla/json';
import { badRequest, requestTooLarge, type StatusError } from '../status.ts';
import { DocumentError } from './document-error.ts';
import { readYaml } from './yaml-document.ts';

export interface DecodedDocument {
  readonly value: JsonValue;
  /**
   * The problems that strict decoding reports in the text: one message per duplicate JSON member (`duplicate field
   * "spec.bar"`), or one message for all duplicates of a YAML document.
   */
  readonly findings: string[];
}

/** Decodes JSON: replaces invalid UTF-8, as in Go. Keeps a byte order mark, which then causes a parse error. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true });

/** Parses a request body. Throws a DocumentError, which `undecodableBody` converts to a response, or a 413 error. */
export function readDocument(bytes: Uint8Array, format: 'json' | 'yaml'): DecodedDocument {
  return format === 'json' ? readJson(bytes) : readYamlBytes(bytes);
}

const yamlFindingPrefix = 'yaml: unmarshal errors:\n';

function readJson(bytes: Uint8Array): DecodedDocument {
  try {
    const { value, duplicates } = parseJson(lenient.decode(bytes));
    return { value, findings: duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DocumentError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/**
 * The maximum size of a YAML document. Parsing YAML takes many times as long as parsing JSON and blocks all other
 * requests. Kubernetes tools send JSON even if they declare YAML, and handwritten documents are smaller than this.
 */
export const maxYamlBytes = 128 * 1024;

function readYamlBytes(bytes: Uint8Array): DecodedDocument {
  const text = decodeStrictly(bytes);
  const json = jsonOf(text);
  if (json !== undefined) return json;
  if (bytes.length > maxYamlBytes) throw requestTooLarge(`limit of YAML that is not JSON is ${maxYamlBytes}`);
  const { value, duplicates } = readYaml(text);
  if (duplicates.length === 0) return { value, findings: [] };
  return { value, findings: [`${yamlFindingPrefix}${duplicates.map((line) => `  ${line}`).join('\n')}`] };
}

/**
 * Parses a YAML document that is also valid JSON. Returns `undefined` if it is not JSON. Also returns `undefined` if it
 * has duplicate members, because the YAML parser reports them with other messages.
 */
function jsonOf(text: string): DecodedDocument | undefined {
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

/** Splits a finding into warnings. The single finding of a YAML document has one line per duplicate (rule DEC-13). */
export function findingWarnings(finding: string): string[] {
  const start = finding.indexOf(yamlFindingPrefix);
  if (start < 0) return [finding];
  return finding
    .slice(start + yamlFindingPrefix.length)
    .split('\n')
    .map((line) => line.trim());
}

/**
 * Returns the response to a body that could not be decoded (rule DEC-01). Rethrows errors that are not DocumentErrors.
 */
export function undecodableBody(kind: ExpectedKind, bytes: Uint8Array, error: unknown): StatusError {
  if (!(error instanceof DocumentError)) throw error;
  const quoted = kind.confidential === true ? '' : ` (${summarize(bytes)})`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${error.message}${quoted}`);
}

export interface ExpectedKind {
  readonly kind: string;
  /** True if error messages must not quote any part of the body. */
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
