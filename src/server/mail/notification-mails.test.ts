import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { adminUser, projectNamespace, projectRoles } from '../../api/naming.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { ManualClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import {
  type ManagementTestEnv,
  openManagementTestEnv,
  patchOptions,
  rejectionStatus,
} from '../../management/management.fixture.ts';
import { TenureEndedError } from '../../replicas/tenure.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { readMailSettings } from '../settings/mail-settings.ts';
import { SettingsReader } from '../settings/settings-reader.ts';
import { NotificationMails } from './notification-mails.ts';
import { smtpError, TestSmtpServer } from './smtp.fixture.ts';
import { SmtpServer } from './smtp-server.ts';

const minute = 60_000;

/** A clock that detects the end of a pass: at the end, the mail sender starts to wait for the next pass. */
class PassClock extends ManualClock {
  waits = 0;
  delay = 0;

  override after(milliseconds: number, callback: () => void): () => void {
    this.waits++;
    this.delay = milliseconds;
    return super.after(milliseconds, callback);
  }
}

let smtp: TestSmtpServer;
let env: ManagementTestEnv;
let clock: PassClock;
let logged: string[];
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  stops = [];
  logged = [];
  smtp = await TestSmtpServer.open();
  env = await openManagementTestEnv({ mail: { trustedDomains: ['example.com'] } });
  clock = new PassClock(env.clock.now());
  for (const name of ['anna', 'bob', 'chief']) {
    await env.create('users', name, { email: `${name}@example.com` });
  }
  await patchUser(adminUser, { email: 'admin@elsewhere.org' });
  await env.create('projects', 'red', {
    members: [
      { kind: 'User', name: 'chief', clusterRole: projectRoles.admin },
      { kind: 'User', name: 'anna', clusterRole: projectRoles.user },
      { kind: 'User', name: 'bob', clusterRole: projectRoles.user },
    ],
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
  });
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await smtp.close();
});

async function patchUser(name: string, spec: JsonObject): Promise<void> {
  await inProcessClient(env.plane.kinds, 'test').resource(userKind).patch({ name }, { spec });
}

async function createInstance(name: string, owner = 'anna'): Promise<void> {
  await env.create('virtualclusterinstances', name, {}, env.as(owner, 'red'));
}

async function setPhase(name: string, phase: string, message = 'no space left'): Promise<void> {
  const conditions = [
    {
      type: 'Ready',
      status: 'False',
      reason: 'X',
      message: '',
      lastTransitionTime: new Date(clock.now()).toISOString(),
    },
  ];
  const instances = inProcessClient(env.plane.kinds, 'test').resource(virtualClusterInstanceKind);
  const key = { namespace: projectNamespace('red'), name };
  await instances.patchStatus(key, { status: { phase, message, conditions } });
}

async function fail(name: string, owner?: string): Promise<void> {
  await createInstance(name, owner);
  await setPhase(name, 'Failed');
}

function open(store: Pick<Store, 'get' | 'list' | 'transact'> = env.store): NotificationMails {
  const settings = readMailSettings(new SettingsReader('settings.yaml', { mail: smtp.settings() }));
  if (settings === undefined) throw new Error('there are no settings');
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, warn: note, error: note, info: note };
  return new NotificationMails({
    server: new SmtpServer(settings, clock),
    state: env.state,
    trustedDomains: settings.trustedDomains,
    preferences: env.mailPreferences,
    notificationStates: env.notificationStates,
    consoleUrl: () => 'https://flotilla.example',
    store,
    clock,
    log,
  });
}

interface Leadership {
  readonly fence?: RevisionCheck;
  readonly assertCurrent?: () => void;
}

/** Starts the sending of mails, and waits for the first pass. */
async function start(mails: NotificationMails = open(), leadership: Leadership = {}): Promise<NotificationMails> {
  const { fence, assertCurrent = () => {} } = leadership;
  const before = clock.waits;
  stops.push(mails.start(fence, assertCurrent));
  await expect.poll(() => clock.waits, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
  return mails;
}

/** Stops sending mails, like the end of a server. */
async function stop(): Promise<void> {
  for (const each of stops.splice(0)) await each();
}

/** Runs all passes of the next minutes. */
async function pass(minutes: number): Promise<void> {
  const end = clock.now() + minutes * minute;
  while (clock.now() + clock.delay <= end) {
    const before = clock.waits;
    clock.advance(clock.delay);
    await expect.poll(() => clock.waits, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
  }
}

const recipients = () => smtp.received.map(({ to }) => to.join()).sort();

async function review(user: string, spec: JsonObject, accessKey?: string): Promise<JsonObject> {
  const sent = env.sent('notificationreviews', '', { spec });
  const options = { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict' as const };
  const created = await env.verbs('notificationreviews').create(env.as(user, '', accessKey), sent, options);
  return created.object as unknown as JsonObject;
}

describe('a failure', () => {
  it('is mailed after two minutes, once, to the owner and the admins of the project, and to nobody else', async () => {
    await fail('broken');
    await start();
    await pass(1);
    expect(recipients()).toEqual([]);
    await pass(2);
    expect(recipients()).toEqual(['anna@example.com', 'chief@example.com']);
    const [mail] = smtp.received;
    const message = 'Virtual cluster "broken" in project "red" has failed: no space left';
    const link = 'https://flotilla.example/virtual-clusters/red/broken';
    expect(mail?.headers.get('subject')).toBe(message);
    expect(mail?.text).toContain(`${message}\n${link}\n`);
    expect(mail?.html).toContain(`<a href="${link}">${message.replaceAll('"', '&quot;')}</a>`);
    expect(mail?.text).toContain('open https://flotilla.example, select the bell, and switch off "Send me mails"');
    await pass(60);
    expect(smtp.received).toHaveLength(2);
  });

  it('that ends within two minutes is not mailed, and a second failure is mailed again', async () => {
    await fail('broken');
    await start();
    await pass(1);
    await setPhase('broken', 'Ready');
    await pass(5);
    expect(recipients()).toEqual([]);
    await setPhase('broken', 'Failed');
    await pass(5);
    await setPhase('broken', 'Ready');
    await pass(1);
    await setPhase('broken', 'Failed');
    await pass(10);
    expect(recipients()).toEqual(['anna', 'anna', 'chief', 'chief'].map((name) => `${name}@example.com`));
  });

  it('comes with all others of the time in one mail, at most every five minutes', async () => {
    for (const name of ['a', 'b', 'c']) await fail(name);
    await start();
    await pass(3);
    const toAnna = () => smtp.received.filter(({ to }) => to.includes('anna@example.com'));
    expect(toAnna()[0]?.headers.get('subject')).toMatch(/ \(and 2 more\)$/);
    await fail('d');
    await pass(3);
    expect(toAnna()).toHaveLength(1);
    await pass(3);
    expect(toAnna()).toHaveLength(2);
    expect(toAnna()[1]?.headers.get('subject')).toContain('Virtual cluster "d" in project "red"');
  });

  it('is not mailed again after a restart', async () => {
    await fail('broken');
    await start();
    await pass(3);
    expect(smtp.received).toHaveLength(2);
    await stop();
    await start();
    await pass(10);
    expect(smtp.received).toHaveLength(2);
  });

  it('is mailed at most twice to one user if the server ends between the mail and its record', async () => {
    await fail('broken');
    let mayRecord = true;
    const store: Pick<Store, 'get' | 'list' | 'transact'> = {
      get: (key) => env.store.get(key),
      list: (range, options) => env.store.list(range, options),
      transact: async (transaction) => {
        if (!mayRecord) throw new Error('killed');
        return await env.store.transact(transaction);
      },
    };
    await start(open(store));
    await pass(1);
    mayRecord = false;
    await pass(1);
    expect(smtp.received).toHaveLength(1);
    await stop();
    await start();
    await pass(3);
    expect(smtp.received).toHaveLength(3);
    expect(new Set(recipients())).toEqual(new Set(['anna@example.com', 'chief@example.com']));
  });
});

describe('several replicas', () => {
  it('of which one took over send a failure at most twice to one user', async () => {
    await fail('broken');
    // The check of the first leader's fence fails, as after the removal of its registration, but this leader still
    // sends a mail.
    const key = { slice: 'replicas-of-test', segments: ['first'] };
    await start(open(), { fence: { key, revision: 1 } });
    await pass(2);
    expect(smtp.received).toHaveLength(1);
    await stop();
    await start();
    await pass(10);
    expect(smtp.received).toHaveLength(3);
    expect(new Set(recipients())).toEqual(new Set(['anna@example.com', 'chief@example.com']));
  });

  it('of which one has lost its connection to the store send nothing from this one', async () => {
    await fail('broken');
    const assertCurrent = () => {
      throw new TenureEndedError();
    };
    const mails = await start(open(), { assertCurrent });
    await pass(30);
    expect(smtp.connections).toBe(0);
    expect((await mails.status()).lastFailure).toBeUndefined();
  });
});

describe('other notifications', () => {
  it('wait a quarter of an hour, and a sleep is not mailed', async () => {
    await createInstance('used');
    const key = { name: 'ending', user: 'anna', ttl: 4 * 3600 };
    await env.create('ownedaccesskeys', key.name, { user: key.user, ttl: key.ttl }, env.as('anna'));
    clock.advance(3 * 3600_000 + minute);
    await start();
    await pass(14);
    expect(recipients()).toEqual([]);
    await pass(3);
    expect(recipients()).toEqual(['anna@example.com']);
    expect(smtp.received[0]?.text).toContain('Access key "ending" expires in');
    expect(smtp.received[0]?.text).toContain('https://flotilla.example/keys/named/ending');
  });

  it('are not mailed if the user has read them in the console', async () => {
    await fail('broken');
    await review('anna', { markRead: true });
    await start();
    await pass(5);
    expect(recipients()).toEqual(['chief@example.com']);
  });
});

describe('a user', () => {
  it('who has switched mails off receives none, and after switching them on only new ones', async () => {
    expect(textAt(await review('anna', {}), 'status', 'mails', 'address')).toBe('anna@example.com');
    const off = await review('anna', { receiveMails: false });
    expect(off.status).toMatchObject({ mails: { receive: false } });
    await fail('broken');
    await start();
    await pass(5);
    expect(recipients()).toEqual(['chief@example.com']);
    await review('anna', { receiveMails: true });
    await pass(20);
    expect(recipients()).toEqual(['chief@example.com']);
    await fail('other');
    await pass(20);
    expect(recipients()).toEqual(['anna@example.com', 'chief@example.com', 'chief@example.com']);
  });

  it('cannot change this with an access key that has a scope', async () => {
    const scope = { roles: [], projects: [{ project: 'red' }] };
    await env.create('ownedaccesskeys', 'scoped', { user: 'anna', scope }, env.as('anna'));
    const status = await rejectionStatus(review('anna', { receiveMails: false }, 'scoped'));
    expect(status.message).toContain('spec.receiveMails');
  });

  it('who is disabled, or whose address nobody has verified, receives none', async () => {
    await fail('broken');
    await patchUser('anna', { disabled: true });
    await patchUser('chief', { email: 'victim@elsewhere.org' });
    await start();
    await pass(20);
    expect(recipients()).toEqual([]);
    expect(textAt(await review('chief', {}), 'status', 'mails', 'address')).toBe('');
  });

  it('whose address an identity provider has verified receives mails at any domain', async () => {
    await fail('broken');
    const link = { issuer: 'https://login.elsewhere.org', subject: '1' };
    const users = inProcessClient(env.plane.kinds, 'test').resource(userKind);
    await patchUser(adminUser, { identities: [link] });
    const identity = { ...link, connector: 'corp', email: 'Admin@elsewhere.org', emailVerified: true, state: 'Active' };
    await users.patchStatus({ name: adminUser }, { status: { identities: [identity] } });
    await start();
    await pass(5);
    expect(recipients()).toContain('admin@elsewhere.org');
  });

  it('who loses the permission while mails are sent receives no mail', async () => {
    await fail('broken', 'bob');
    smtp.onMail = async () => {
      smtp.onMail = () => {};
      // Mails are sent in the order of the names of users: bob before chief.
      const document = { spec: { members: [{ kind: 'User', name: 'bob', clusterRole: projectRoles.user }] } };
      await env.verbs('projects').patch(env.admin(), 'red', { type: 'merge', document, findings: [] }, patchOptions);
    };
    await start();
    await pass(10);
    expect(recipients()).toEqual(['bob@example.com']);
  });

  it('whose address the mail server refuses does not prevent mails to others', async () => {
    await fail('broken');
    let attempts = 0;
    smtp.onRecipient = (address) => {
      if (address !== 'anna@example.com') return;
      attempts++;
      throw smtpError(550, 'no such user');
    };
    const mails = await start();
    await pass(60);
    expect(recipients()).toEqual(['chief@example.com']);
    expect(attempts).toBe(1);
    expect(mails.gauges().map(({ value }) => value())).toEqual([1, 1]);
    expect((await mails.status()).lastFailure).toBeUndefined();
  });

  it('whose mail the mail server refuses for now receives it later', async () => {
    await fail('broken');
    let attempts = 0;
    smtp.onRecipient = (address) => {
      if (address === 'anna@example.com' && ++attempts === 1) throw smtpError(451, 'greylisted');
    };
    await start();
    await pass(15);
    expect(recipients()).toEqual(['anna@example.com', 'chief@example.com']);
    expect(attempts).toBe(2);
  });
});

describe('a mail server', () => {
  it('that is down gets the mails when it is up again, and the state says so in between', async () => {
    await fail('broken');
    await smtp.stop();
    const mails = await start();
    await pass(10);
    expect((await mails.status()).lastFailure?.message).toMatch(/^the mail server 127\.0\.0\.1:\d+ cannot be used: /);
    expect(logged.join('\n')).toContain('cannot send notifications by mail');
    await smtp.start();
    await pass(30);
    expect(recipients()).toEqual(['anna@example.com', 'chief@example.com']);
    expect((await mails.status()).lastFailure).toBeUndefined();
    expect(logged.join('\n')).not.toContain(smtp.password);
  });

  it('that refuses the login gets no further attempts than one per pause', async () => {
    await fail('broken');
    await smtp.close();
    smtp = await TestSmtpServer.open({ onAuth: (_auth, _session, done) => done(smtpError(535, 'refused')) });
    const mails = await start();
    await pass(60);
    // The pauses grow to a quarter of an hour.
    expect(smtp.connections).toBeGreaterThan(3);
    expect(smtp.connections).toBeLessThan(14);
    expect((await mails.status()).lastFailure?.message).toContain('535 refused');
  });

  it('gets no commands, headers or markup from the names and texts of tenants', async () => {
    const nasty =
      'bad\r\nBcc: victim@elsewhere.org\r\n\r\n.\r\nRCPT TO:<victim@elsewhere.org>\r\n<script>alert("1")</script>\u202e';
    await createInstance('broken');
    await setPhase('broken', 'Failed', nasty);
    await patchUser('bob', { email: 'bob@example.com>\r\nRCPT TO:<victim@elsewhere.org' });
    await start();
    await pass(20);
    expect(recipients()).toEqual(['anna@example.com', 'chief@example.com']);
    for (const mail of smtp.received) {
      expect([...mail.headers.keys()]).not.toContain('bcc');
      expect(mail.headers.get('subject')).not.toMatch(/\p{Cc}/u);
      expect(mail.html).not.toContain('<script>');
      expect(mail.html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;\\u202e');
      expect(mail.text).toContain('has failed: bad Bcc: victim@elsewhere.org . RCPT TO:');
    }
  });
});

describe('the rows of mails', () => {
  it('of users who no longer exist are removed at the next start', async () => {
    await fail('broken');
    await review('anna', { receiveMails: false });
    await start();
    await pass(5);
    const rows = async () => (await env.store.list({ slice: 'notification-mails', prefix: [] })).entries.length;
    expect(await rows()).toBe(3);
    await stop();
    await env.remove('users', 'anna');
    await start();
    await expect.poll(rows).toBe(1);
  });
});
