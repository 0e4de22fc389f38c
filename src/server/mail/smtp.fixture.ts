import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { JsonObject } from '@flotilla/json';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createCertificateAuthority, createServingCertificate } from '../../process/make-certificate.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The decoded headers, without line folding, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The decoded parts of the body. */
  readonly text: string;
  readonly html: string;
  /** The message as it was received. */
  readonly source: string;
}

const account = { user: 'flotilla', password: 'correct horse battery' } as const;
const hour = 3_600_000;

/** A real SMTP server that accepts one account. Its certificate is signed by an authority of its own. */
export class TestSmtpServer {
  readonly received: ReceivedMail[] = [];
  /** The number of connections that were opened. */
  connections = 0;
  /** Called before a recipient is accepted. It may throw an error with `responseCode`. */
  onRecipient: (address: string) => void | Promise<void> = () => {};
  /** Called after a mail was received, before the server accepts it. */
  onMail: () => void | Promise<void> = () => {};
  readonly #root: string;
  readonly #options: SMTPServerOptions;
  #server: SMTPServer | undefined;
  #port = 0;

  private constructor(root: string, options: SMTPServerOptions) {
    this.#root = root;
    this.#options = options;
  }

  static async open(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
    const root = await mkdtemp(join(tmpdir(), 'smtp-'));
    const authority = await createCertificateAuthority(Date.now(), hour);
    const serving = await createServingCertificate(authority, ['127.0.0.1', 'localhost'], Date.now(), hour);
    await writeFile(join(root, 'ca.crt'), authority.cert);
    await writeFile(join(root, 'password'), `${account.password}\n`);
    const server = new TestSmtpServer(root, { ...serving, ...options });
    await server.start();
    return server;
  }

  get password(): string {
    return account.password;
  }

  get passwordFile(): string {
    return join(this.#root, 'password');
  }

  /** Returns the settings of a server that sends mails here. */
  settings(changes: JsonObject = {}): JsonObject {
    return {
      server: `smtp://127.0.0.1:${this.#port}`,
      user: account.user,
      passwordFile: this.passwordFile,
      from: 'Flotilla <flotilla@example.com>',
      caFile: join(this.#root, 'ca.crt'),
      trustedDomains: ['example.com'],
      ...changes,
    };
  }

  /** Starts the server at the port of the last start. */
  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: false,
      disableReverseLookup: true,
      onConnect: (_, done) => {
        this.connections++;
        done();
      },
      onAuth: ({ username, password }, _, done) => {
        if (username === account.user && password === account.password) done(null, { user: username });
        else done(Object.assign(new Error('authentication failed'), { responseCode: 535 }));
      },
      onRcptTo: ({ address }, _, done) => {
        settle(async () => await this.onRecipient(address), done);
      },
      onData: (stream, { envelope }, done) => {
        settle(async () => {
          const source = await readText(stream);
          await this.onMail();
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          this.received.push(parseMail(source, { from, to: envelope.rcptTo.map(({ address }) => address) }));
        }, done);
      },
      ...this.#options,
    });
    // Ignores the error of a client that does not trust the certificate and ends the handshake.
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    const address = server.server.address() as AddressInfo;
    if (isIPv6(address.address)) throw new Error('the test server must listen on IPv4');
    this.#port = address.port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#root, { recursive: true });
  }
}

function settle(work: () => Promise<void>, done: (error?: Error | null) => void): void {
  work().then(
    () => done(),
    (error: Error) => done(error),
  );
}

/** Returns an error that makes the server refuse a command with this code and message. */
export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function parseMail(source: string, envelope: Pick<ReceivedMail, 'from' | 'to'>): ReceivedMail {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const headers = headersOf(head);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = source.split(`--${boundary}`).slice(1);
  const part = (type: string) => {
    const found = parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? '';
    const at = found.indexOf('\r\n\r\n');
    return decodeBody(found.slice(at + 4), headersOf(found.slice(0, at).trim()).get('content-transfer-encoding'));
  };
  return { ...envelope, headers, text: part('text/plain'), html: part('text/html'), source };
}

function headersOf(head: string): Map<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
}

/** Decodes the words in which RFC 2047 encodes quotes and characters outside of ASCII. */
function decodeWords(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, '?==?');
  return joined.replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
    encoding.toUpperCase() === 'B'
      ? Buffer.from(word, 'base64').toString()
      : decodeBody(word.replaceAll('_', ' '), 'quoted-printable'),
  );
}

function decodeBody(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
