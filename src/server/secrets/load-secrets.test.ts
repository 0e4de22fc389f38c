import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serviceAccountTokenKeys } from '../../builtin/account-token-keys.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { createAuthority, writeAuthorityFiles } from '../../process/certificates.ts';
import { CloseStack } from '../../process/close-stack.ts';
import { makeSigningKey, readSigningKeyFile, writeSigningKeyFile } from '../../process/signing-key-file.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { type DataDir, openDataDir } from '../data/data-dir.ts';
import { installationRange } from '../data/installation.ts';
import { type InstallationSecrets, loadSecrets, type SecretsOptions } from './load-secrets.ts';
import { sharedView } from './shared-store.fixture.ts';

const day = 24 * 3600;
const sealer = openSealer(Buffer.alloc(32, 7));
let root: string;
let clock: ManualClock;
let store: Store;
let closing: CloseStack;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'secrets-'));
  clock = new ManualClock();
  store = openMemoryStore({ clock });
  closing = new CloseStack(silentLog);
});
afterEach(async () => {
  await closing.close();
  await store.close();
  await rm(root, { recursive: true });
});

const directory = (name: string) => openDataDir(join(root, name));
const noFiles = { signingKeyFile: undefined, authority: undefined };

function load(dir: DataDir, options: Partial<SecretsOptions> = {}): Promise<InstallationSecrets> {
  const { store: shared } = sharedView(store);
  const defaults = { settings: noFiles, longestTTL: 30 * day, clock, log: silentLog, closing };
  return loadSecrets({ store: shared, sealer, dir, ...defaults, ...options });
}

const kids = ({ signingKeys }: InstallationSecrets) => signingKeys.publicKeys().keys.map(({ kid }) => kid);
const current = ({ signingKeys }: InstallationSecrets) => signingKeys.current().kid;
const secretFiles = (dir: DataDir) => Promise.all([dir.signingKey, dir.caCertificate, dir.caKey].map(text));
const text = (path: string) => readFile(path, 'utf8');

describe('servers on a shared store', () => {
  it('have the same signing key and certificate authority, and private copies of them', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const first = await load(a);
    const second = await load(b);
    expect(current(second)).toBe(current(first));
    expect(second.authority).toEqual(first.authority);
    expect(await secretFiles(b)).toEqual(await secretFiles(a));
    for (const path of [b.signingKey, b.caCertificate, b.caKey]) {
      expect((await stat(path)).mode & 0o777, path).toBe(0o600);
    }
  });

  it('agree if they start at the same moment', async () => {
    const dirs = await Promise.all(['a', 'b', 'c'].map(directory));
    const secrets = await Promise.all(dirs.map((dir) => load(dir)));
    expect(new Set(secrets.map(current)).size).toBe(1);
    expect(new Set(secrets.map(({ authority }) => authority.cert)).size).toBe(1);
    const [first, ...others] = await Promise.all(dirs.map(secretFiles));
    for (const files of others) expect(files).toEqual(first);
  });

  it('store nothing readable', async () => {
    const dir = await directory('a');
    await load(dir);
    const { entries } = await store.list(installationRange);
    expect(entries.map(({ key }) => key.segments.join())).toEqual(['ca', 'signing-keys']);
    const { d } = JSON.parse(await text(dir.signingKey)).keys[0];
    for (const { value } of entries) {
      expect(value).toMatch(/^s1\./);
      expect(value).not.toContain(d);
    }
  });

  it('use a new key at once after one of them has rotated it, and reject revoked keys', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const [first, second] = [await load(a), await load(b)];
    const before = current(first);
    let changes = 0;
    second.signingKeys.onChange(() => changes++);
    await first.signingKeys.rotate({ revoke: false });
    expect(kids(second)).toEqual([current(first), before]);
    expect(changes).toBe(1);
    await second.signingKeys.rotate({ revoke: true });
    expect(kids(first)).toEqual([current(second)]);
    await closing.close();
    for (const dir of [a, b]) expect((await readSigningKeyFile(dir.signingKey))?.current.kid).toBe(current(second));
  });

  it('accept a token of a key whose creation they have not observed yet', async () => {
    const view = sharedView(store);
    const [first, second] = [await load(await directory('a')), await load(await directory('b'), { store: view.store })];
    const [issuer, verifier] = [first, second].map(({ signingKeys }) =>
      serviceAccountTokenKeys({ signingKeys, installation: 'i' }),
    );
    view.hold();
    await first.signingKeys.rotate({ revoke: true });
    const token = (await issuer?.sign({ sub: 'anna' })) ?? '';
    expect(kids(second)).not.toContain(current(first));
    expect(await verifier?.verify(token)).toEqual({ sub: 'anna' });
    expect(kids(second)).toEqual([current(first)]);
  });

  it('do not lose a rotation if two of them rotate at the same moment', async () => {
    const [first, second] = [await load(await directory('a')), await load(await directory('b'))];
    await Promise.all([first, second].map(({ signingKeys }) => signingKeys.rotate({ revoke: false })));
    expect(kids(first)).toHaveLength(3);
    expect(kids(second)).toEqual(kids(first));
  });

  it('continue to follow the keys after an observation has expired', async () => {
    const view = sharedView(store);
    const [first, second] = [await load(await directory('a')), await load(await directory('b'), { store: view.store })];
    view.hold();
    await first.signingKeys.rotate({ revoke: true });
    view.expire();
    await second.signingKeys.refresh();
    expect(kids(second)).toEqual([current(first)]);
    await first.signingKeys.rotate({ revoke: true });
    expect(kids(second)).toEqual([current(first)]);
  });

  it('keep a retired key for the longest token lifetime of all servers', async () => {
    await load(await directory('a'), { longestTTL: 60 * day });
    const second = await load(await directory('b'), { longestTTL: day });
    await second.signingKeys.rotate({ revoke: false });
    clock.advance(59 * day * 1000);
    expect(kids(second)).toHaveLength(2);
  });
});

describe('secret files on a shared store', () => {
  it('of the first server are stored, and a server without files gets them', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const authority = await createAuthority(clock);
    const key = await makeSigningKey(day);
    await writeAuthorityFiles(a, authority);
    await writeSigningKeyFile(a.signingKey, { current: key, retired: [], former: [] });
    expect(await load(a)).toMatchObject({ authority });
    const second = await load(b);
    expect(second.authority).toEqual(authority);
    expect(current(second)).toBe(key.kid);
  });

  it('that were copied before rotations are recognized and replaced', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const first = await load(a);
    for (const name of ['signing.key', 'ca.crt', 'ca.key']) {
      await writeFile(join(b.path, name), await readFile(join(a.path, name)), { mode: 0o600 });
    }
    await first.signingKeys.rotate({ revoke: false });
    await first.signingKeys.rotate({ revoke: true });
    const settings = { signingKeyFile: join(root, 'configured.key'), authority: undefined };
    await writeFile(settings.signingKeyFile, await readFile(b.signingKey));
    expect(current(await load(b, { settings }))).toBe(current(first));
    expect((await readSigningKeyFile(b.signingKey))?.current.kid).toBe(current(first));
  });

  it('with another signing key are rejected with their name', async () => {
    await load(await directory('a'));
    const b = await directory('b');
    const other = { current: await makeSigningKey(day), retired: [], former: [] };
    await writeSigningKeyFile(b.signingKey, other);
    await expect(load(b)).rejects.toThrow(
      `${b.signingKey} is not a signing key of this installation; remove the file, and the server uses the key of the store`,
    );
    await rm(b.signingKey);
    const signingKeyFile = join(root, 'other.key');
    await writeSigningKeyFile(signingKeyFile, other);
    await expect(load(b, { settings: { ...noFiles, signingKeyFile } })).rejects.toThrow(
      `--signing-key-file: ${signingKeyFile} is not a signing key of this installation`,
    );
    const missing = { ...noFiles, signingKeyFile: join(root, 'none') };
    await expect(load(b, { settings: missing })).rejects.toThrow(`--signing-key-file: ${root}/none does not exist`);
  });

  it('with another certificate authority are rejected with their name', async () => {
    await load(await directory('a'));
    const b = await directory('b');
    await writeAuthorityFiles(b, await createAuthority(clock));
    await expect(load(b)).rejects.toThrow(
      `${b.caCertificate} is not the certificate authority of this installation; remove it and ${b.caKey}`,
    );
    const authority = { certFile: b.caCertificate, keyFile: b.caKey };
    await expect(load(await directory('c'), { settings: { ...noFiles, authority } })).rejects.toThrow(
      `--ca-cert-file: ${b.caCertificate} is not the certificate authority of this installation`,
    );
    const missing = { certFile: join(root, 'none'), keyFile: join(root, 'no.key') };
    await expect(load(b, { settings: { ...noFiles, authority: missing } })).rejects.toThrow(
      `--ca-cert-file: ${root}/none does not exist`,
    );
  });

  it('replace a certificate authority only after it has expired', async () => {
    const a = await directory('a');
    await load(a);
    clock.advance(3651 * day * 1000);
    await expect(load(a)).rejects.toThrow(`put a new one into ${a.caCertificate} and ${a.caKey}`);
    const authority = await createAuthority(clock);
    await writeAuthorityFiles(a, authority);
    expect(await load(a)).toMatchObject({ authority });
    expect(await load(await directory('b'))).toMatchObject({ authority });
  });
});

describe('secrets on a store that is not shared', () => {
  it('are files, and files of other places are copied into the data directory', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const first = await load(a, { store });
    expect((await store.list(installationRange)).entries).toEqual([]);
    const settings = {
      signingKeyFile: a.signingKey,
      authority: { certFile: a.caCertificate, keyFile: a.caKey },
    };
    const second = await load(b, { store, settings });
    expect([current(second), second.authority]).toEqual([current(first), first.authority]);
    await first.signingKeys.rotate({ revoke: true });
    await expect(load(b, { store, settings })).rejects.toThrow('is not a signing key of this installation');
  });

  it('of a store that was shared before become files, and the rows are removed', async () => {
    const [a, b] = [await directory('a'), await directory('b')];
    const shared = await load(a);
    await shared.signingKeys.rotate({ revoke: true });
    await closing.close();
    const moved = await load(b, { store });
    expect([current(moved), moved.authority]).toEqual([current(shared), shared.authority]);
    expect((await store.list(installationRange)).entries).toEqual([]);
    expect(await secretFiles(b)).toEqual(await secretFiles(a));
    const later = await moved.signingKeys.rotate({ revoke: false });
    expect(current(await load(b))).toBe(later.kid);
  });

  it('of a store that was shared before do not replace another key', async () => {
    await load(await directory('a'));
    const b = await directory('b');
    await writeSigningKeyFile(b.signingKey, { current: await makeSigningKey(day), retired: [], former: [] });
    await expect(load(b, { store })).rejects.toThrow('is not a signing key of this installation');
    expect((await store.list(installationRange)).entries).toHaveLength(2);
  });
});
