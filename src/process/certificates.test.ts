import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../lib/clock.ts';
import { type DataDir, dataDirAt } from '../server/data/data-dir.ts';
import {
  caCertificateOf,
  ensureCertificateAuthority,
  ensureServingCertificate,
  readCustomCertificate,
  servingNames,
} from './certificates.ts';

let dir: DataDir;
beforeEach(async () => {
  dir = dataDirAt(await mkdtemp(join(tmpdir(), 'certificates-')));
});
afterEach(() => rm(dir.path, { recursive: true }));

const day = 24 * 60 * 60_000;

describe('the serving certificate', () => {
  it('a strict client accepts the certificate under each of its names and no other', async () => {
    const authority = await ensureCertificateAuthority(dir, systemClock);
    const pair = await ensureServingCertificate(dir, authority, servingNames(['example.test']), systemClock);
    const server = createServer(pair, (_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const call = (servername: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, servername, ca: authority.cert, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    try {
      expect(await call('example.test')).toBe(200);
      expect(await call('localhost')).toBe(200);
      expect(await call('')).toBe(200);
      await expect(call('other.test')).rejects.toThrow(/altnames/);
    } finally {
      server.close();
    }
  });

  it('the certificate has the form that Go and RFC 5280 require', async () => {
    const authority = new X509Certificate((await ensureCertificateAuthority(dir, systemClock)).cert);
    const pair = await ensureServingCertificate(
      dir,
      await ensureCertificateAuthority(dir, systemClock),
      servingNames(['flotilla.test', '10.0.0.7', 'FD00::1']),
      systemClock,
    );
    const leaf = new X509Certificate(pair.cert);
    expect(authority.ca).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(authority)).toBe(true);
    expect(leaf.verify(authority.publicKey)).toBe(true);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:flotilla.test, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:1',
    );
    expect(leaf.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(leaf.serialNumber).not.toBe(authority.serialNumber);
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBeLessThan(398 * day);
  });

  it('the certificate is stored in files of mode 0600 and survives a restart', async () => {
    const authority = await ensureCertificateAuthority(dir, systemClock);
    const names = servingNames(['*.example.test']);
    const first = await ensureServingCertificate(dir, authority, names, systemClock);
    for (const path of [dir.caCertificate, dir.caKey, dir.servingCertificate, dir.servingKey]) {
      expect((await stat(path)).mode & 0o777, path).toBe(0o600);
    }
    expect(await ensureCertificateAuthority(dir, systemClock)).toEqual(authority);
    expect(await ensureServingCertificate(dir, authority, names, systemClock)).toEqual(first);
  });

  it('the certificate is renewed if it expires within a month, lacks a name or is damaged', async () => {
    const clock = new ManualClock();
    const authority = await ensureCertificateAuthority(dir, clock);
    const first = await ensureServingCertificate(dir, authority, servingNames([]), clock);
    clock.advance(334 * day);
    expect(await ensureServingCertificate(dir, authority, servingNames([]), clock)).toEqual(first);
    clock.advance(2 * day);
    const second = await ensureServingCertificate(dir, authority, servingNames([]), clock);
    expect(second.cert).not.toBe(first.cert);
    const third = await ensureServingCertificate(dir, authority, servingNames(['new.test']), clock);
    expect(new X509Certificate(third.cert).checkHost('new.test')).toBe('new.test');
    await writeFile(dir.servingKey, first.key);
    const fourth = await ensureServingCertificate(dir, authority, servingNames(['new.test']), clock);
    expect(fourth.cert).not.toBe(third.cert);
    expect(await readFile(dir.servingCertificate, 'utf8')).toBe(fourth.cert);
  });
});

describe('the authority', () => {
  it('an incomplete, mismatched or expired authority is rejected with a clear message', async () => {
    const clock = new ManualClock();
    const authority = await ensureCertificateAuthority(dir, clock);
    await rm(dir.caKey);
    await expect(ensureCertificateAuthority(dir, clock)).rejects.toThrow(/belong together/);
    const other = await ensureServingCertificate(dir, authority, ['x.test'], clock);
    await writeFile(dir.caKey, other.key);
    await expect(ensureCertificateAuthority(dir, clock)).rejects.toThrow(/is not the private key of/);
    await writeFile(dir.caKey, authority.key);
    clock.advance(3651 * day);
    await expect(ensureCertificateAuthority(dir, clock)).rejects.toThrow(/has expired/);
  });

  it('the authority of a certificate is the last of its chain if that one is self-signed', async () => {
    const authority = await ensureCertificateAuthority(dir, systemClock);
    const leaf = await ensureServingCertificate(dir, authority, ['x.test'], systemClock);
    expect(caCertificateOf(leaf.cert)).toBeUndefined();
    expect(caCertificateOf(leaf.cert + authority.cert)).toBe(authority.cert);
  });
});

describe('readOwnCertificate', () => {
  it('errors name the faulty file', async () => {
    const authority = await ensureCertificateAuthority(dir, systemClock);
    await ensureServingCertificate(dir, authority, ['x.test'], systemClock);
    await expect(readCustomCertificate(dir.servingCertificate, dir.servingKey)).resolves.toBeDefined();
    await expect(readCustomCertificate('/no/cert', dir.servingKey)).rejects.toThrow('/no/cert does not exist');
    await expect(readCustomCertificate(dir.servingKey, dir.servingKey)).rejects.toThrow(
      'does not contain a certificate',
    );
    await expect(readCustomCertificate(dir.servingCertificate, dir.caKey)).rejects.toThrow('is not the private key of');
    await expect(readCustomCertificate(dir.servingCertificate, dir.caCertificate)).rejects.toThrow('private key');
  });
});
