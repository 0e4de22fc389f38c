import { isJsonObject, textAt } from '@flotilla/json';

/**
 * The content of a join token: everything that an agent needs to reach its server for the first time. An agent exchanges
 * the secret for a key of its own.
 */
export interface JoinToken {
  /** The address of the server: `https://host:port`. */
  readonly server: string;
  /** PEM-encoded CA certificates that verify the server. Absent if the agent's machine already trusts the server. */
  readonly authority?: string;
  readonly apiPrefix: string;
  /** The ID of the server's installation. */
  readonly installation: string;
  readonly cluster: string;
  /** The bearer token of an access key of the type AgentJoin. */
  readonly secret: string;
}

/** The first part of a token of this format. */
const formatName = 'join1';
/** The maximum length of a token, checked before decoding. A token with a chain of CA certificates is shorter. */
const maxLength = 64 * 1024;

/**
 * Returns the text of a join token: the name of the format, everything but the secret in base64url, and the secret. The
 * secret stays readable, so that programs that search for access keys find it.
 */
export function writeJoinToken({ secret, ...rest }: JoinToken): string {
  return `${formatName}.${toBase64url(JSON.stringify(rest))}.${secret}`;
}

/** Parses a join token. Returns `undefined` if the text is not a join token. */
export function readJoinToken(text: string): JoinToken | undefined {
  const [format, encoded = '', secret = '', ...more] = text.length > maxLength ? [] : text.trim().split('.');
  if (format !== formatName || secret === '' || more.length > 0) return undefined;
  const content = contentOf(encoded);
  const [server, authority] = [textAt(content, 'server'), textAt(content, 'authority')];
  const [apiPrefix, installation] = [textAt(content, 'apiPrefix'), textAt(content, 'installation')];
  const cluster = textAt(content, 'cluster');
  if (!/^https:\/\/[^/?#@]+$/.test(server) || [apiPrefix, installation, cluster].includes('')) return undefined;
  return { server, ...(authority === '' ? {} : { authority }), apiPrefix, installation, cluster, secret };
}

function contentOf(encoded: string): Parameters<typeof textAt>[0] {
  try {
    const value: unknown = JSON.parse(fromBase64url(encoded));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toBase64url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64url(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
