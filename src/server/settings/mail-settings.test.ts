import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { readMailSettings } from './mail-settings.ts';
import { SettingsReader } from './settings-reader.ts';

function read(mail: JsonObject) {
  return readMailSettings(new SettingsReader('settings.yaml', { mail }));
}

const plain = { server: 'smtp://mail.example.com', from: 'flotilla@example.com' };
const account = { user: 'flotilla', passwordFile: '/run/password' };

describe('the settings of mails', () => {
  it('are absent by default', () => {
    expect(read({})).toBeUndefined();
  });

  it('require STARTTLS at port 587', () => {
    expect(read({ ...plain, ...account })).toEqual({
      host: 'mail.example.com',
      port: 587,
      encryption: 'starttls',
      account,
      from: { name: '', address: 'flotilla@example.com' },
      caFile: undefined,
      trustedDomains: [],
    });
  });

  it('use TLS from the first byte with smtps, at port 465', () => {
    const from = '"Flotilla, Berlin" <flotilla@example.com>';
    expect(read({ ...plain, server: 'smtps://[::1]', from, trustedDomains: ['example.com'] })).toMatchObject({
      ...{ host: '::1', port: 465, encryption: 'implicit', trustedDomains: ['example.com'] },
      from: { name: 'Flotilla, Berlin', address: 'flotilla@example.com' },
    });
  });

  it('allow a connection without encryption, and then a password only on this machine', () => {
    expect(read({ ...plain, startTLS: false })).toMatchObject({ encryption: 'none' });
    const local = { ...plain, server: 'smtp://127.0.0.1:25', startTLS: false, ...account };
    expect(read(local)).toMatchObject({ encryption: 'none', port: 25 });
  });

  it.each<[string, JsonObject]>([
    ['"mail.from" needs "mail.server"', { from: 'a@b.c' }],
    ['"mail.from" must be an address', { server: plain.server }],
    ['"mail.from" must be an address', { ...plain, from: 'a@b.c, d@e.f' }],
    ['"mail.from" must be an address', { ...plain, from: 'Anna\r\nBcc: x@y.z <a@b.c>' }],
    ['"mail.server" must be smtps://host:port', { ...plain, server: 'https://mail.example.com' }],
    ['"mail.server" must be smtps://host:port', { ...plain, server: 'mail.example.com:25' }],
    ['set "user" and "passwordFile"', { ...plain, server: 'smtps://flotilla:hunter2@mail.example.com' }],
    ['needs both "user" and "passwordFile"', { ...plain, user: 'flotilla' }],
    ['"mail.user" needs a connection with TLS', { ...plain, ...account, startTLS: false }],
    ['is not a domain', { ...plain, trustedDomains: ['@example.com'] }],
  ])('are refused with: %s', (message, settings) => {
    expect(() => read(settings)).toThrow(message);
    expect(() => read(settings)).not.toThrow('hunter2');
  });
});
