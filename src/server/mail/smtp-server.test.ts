import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { readMailSettings } from '../settings/mail-settings.ts';
import { SettingsReader } from '../settings/settings-reader.ts';
import type { Mail, MailServerError } from './mail-server.ts';
import { smtpError, TestSmtpServer } from './smtp.fixture.ts';
import { SmtpServer } from './smtp-server.ts';

const mail: Mail = { to: 'anna@example.com', subject: 'Grüße', text: 'Text ü', html: '<p>HTML ü</p>' };
const never = new AbortController().signal;

let open: TestSmtpServer | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function serve(options: Parameters<typeof TestSmtpServer.open>[0] = {}): Promise<TestSmtpServer> {
  open = await TestSmtpServer.open(options);
  return open;
}

function client(server: TestSmtpServer, changes: JsonObject = {}): SmtpServer {
  const settings = readMailSettings(new SettingsReader('settings.yaml', { mail: server.settings(changes) }));
  if (settings === undefined) throw new Error('there are no settings');
  return new SmtpServer(settings, systemClock);
}

async function send(smtp: SmtpServer, ...mails: readonly Mail[]): Promise<void> {
  const connection = await smtp.connect(never);
  try {
    for (const each of mails) await connection.send(each);
  } finally {
    connection.close();
  }
}

async function failure(work: Promise<void>): Promise<MailServerError> {
  return await work.then(
    () => expect.fail('the mail server accepted the mail'),
    (error: MailServerError) => error,
  );
}

describe('a mail server', () => {
  it('receives mails over STARTTLS after a login, several on one connection', async () => {
    const server = await serve();
    await send(client(server), mail, { ...mail, to: 'bob@example.com' });
    expect(server.connections).toBe(1);
    expect(server.received.map(({ to }) => to)).toEqual([['anna@example.com'], ['bob@example.com']]);
    const [first] = server.received;
    expect(first?.from).toBe('flotilla@example.com');
    expect(first?.headers.get('from')).toBe('Flotilla <flotilla@example.com>');
    expect(first?.headers.get('to')).toBe('anna@example.com');
    expect(first?.headers.get('auto-submitted')).toBe('auto-generated');
    expect([first?.text.trim(), first?.html.trim()]).toEqual(['Text ü', '<p>HTML ü</p>']);
  });

  it('receives mails over TLS from the first byte', async () => {
    const server = await serve({ secure: true });
    const address = String(server.settings().server).replace('smtp:', 'smtps:');
    await send(client(server, { server: address }), mail);
    expect(server.received).toHaveLength(1);
  });

  it('gets nothing without STARTTLS, unless the settings permit it', async () => {
    const server = await serve({ disabledCommands: ['STARTTLS'], authOptional: true, allowInsecureAuth: true });
    const { message, concerns } = await failure(send(client(server), mail));
    expect([message, concerns]).toEqual([expect.stringContaining('STARTTLS'), 'server']);
    expect(server.received).toEqual([]);
    await send(client(server, { startTLS: false, user: null, passwordFile: null }), mail);
    expect(server.received).toHaveLength(1);
  });

  it('gets nothing if its certificate is not trusted', async () => {
    const server = await serve();
    const { message } = await failure(send(client(server, { caFile: null }), mail));
    expect(message).toMatch(/^the mail server 127\.0\.0\.1:\d+ cannot be used: .*certificate/);
    expect(server.received).toEqual([]);
  });

  it('refuses a wrong password, which no error contains, and the file is read again', async () => {
    const server = await serve();
    await writeFile(server.passwordFile, 'hunter2');
    const error = await failure(send(client(server), mail));
    expect(error.message).toContain('535');
    expect(error.concerns).toBe('server');
    const everything = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.cause)} ${String(error.cause)}`;
    for (const secret of ['hunter2', Buffer.from('hunter2').toString('base64').slice(0, 8)]) {
      expect(everything).not.toContain(secret);
    }
    await writeFile(server.passwordFile, server.password);
    await send(client(server), mail);
    expect(server.received).toHaveLength(1);
  });

  it('distinguishes recipients that it refuses for good, for now, and a failure of its own', async () => {
    const server = await serve();
    const refuse = async (code: number) => {
      server.onRecipient = () => {
        throw smtpError(code, 'not\r\nhere\u001b[31m');
      };
      return await failure(send(client(server), mail));
    };
    const refused = await refuse(550);
    expect(refused.concerns).toBe('recipient');
    expect(refused.message).not.toMatch(/\p{Cc}/u);
    expect((await refuse(450)).concerns).toBe('recipient-now');
    expect((await refuse(421)).concerns).toBe('server');
  });

  it('is not waited for after an abort', async () => {
    const server = await serve();
    const aborting = new AbortController();
    server.onRecipient = () => {
      aborting.abort(new Error('stopping'));
      return new Promise(() => {});
    };
    const connection = await client(server).connect(aborting.signal);
    await expect(connection.send(mail)).rejects.toThrow('stopping');
    connection.close();
  });

  it('that is not there is reported with its address', async () => {
    const server = await serve();
    await server.stop();
    expect((await failure(send(client(server), mail))).message).toMatch(
      /127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/,
    );
  });
});
