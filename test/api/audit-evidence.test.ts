import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditCheckpointList, AuditVerification, ReplicaVerification } from '../../src/api/audit/audit-chain.ts';
import { auditorsGroup } from '../../src/api/naming.ts';
import { callValues, type OptionValue } from '../../src/cli/command-call.ts';
import type { CommandRun } from '../../src/cli/command-spec.ts';
import { run as checkpoints } from '../../src/cli/commands/audit/audit-checkpoints.ts';
import { run as verify } from '../../src/cli/commands/audit/audit-verify.ts';
import { openTerminal } from '../../src/cli/output/terminal.ts';
import { ReplicasTestEnv } from '../../src/server/replicas.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;

beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  for (const name of ['red', 'blue', 'green']) await bench.createObject(server, 'projects', name);
});
afterAll(() => bench.close());

/** Runs a command against the server. Returns its exit code and what it has printed. */
async function runCommand(run: CommandRun, options: Record<string, OptionValue> = {}) {
  const out: string[] = [];
  const environment = {
    FLOTILLA_URL: server.url,
    FLOTILLA_CA_FILE: bench.file('ca.crt'),
    FLOTILLA_ACCESS_KEY: await bench.adminKey(),
    FLOTILLA_CONFIG: join(bench.root, 'logins.json'),
  };
  const streams = { out: { write: (text: string) => out.push(text) }, err: { write: () => {} }, in: {} };
  const code = await run({
    values: callValues(new Map(), new Map(Object.entries(options))),
    terminal: openTerminal(streams, environment),
    environment,
    interrupted: new AbortController().signal,
    releaseSignals() {},
  });
  return { code: code ?? 0, out: out.join('') };
}

const restart = async () => {
  await server.close();
  server = await bench.start();
};

describe('the evidence of an audit log', () => {
  it('is verified by the server across a restart, for admins and auditors only', async () => {
    await restart();
    await bench.createObject(server, 'projects', 'after');
    const { code, out } = await runCommand(verify);
    expect(out).toMatch(
      /^(replica \S+: )?no problems in \d+ lines, lines 1 to \d+, \S+ to \S+; signed up to line \d+\n$/,
    );
    expect(code).toBe(0);
    await bench.createObject(server, 'users', 'auditor', { groups: [auditorsGroup] });
    await bench.createObject(server, 'users', 'anna');
    const auditor = await bench.createKey(server, 'of-auditor', { user: 'auditor' });
    const anna = await bench.createKey(server, 'of-anna', { user: 'anna' });
    for (const path of ['/audit/verify', '/audit/checkpoints']) {
      expect((await bench.send(server, path, { token: auditor })).code, path).toBe(200);
      expect((await bench.send(server, path, { token: anna })).code, path).toBe(403);
      expect((await bench.send(server, path, { method: 'POST' })).code, path).toBe(405);
    }
  });

  it('is verified without a server, and finds a changed line and a removed end', async () => {
    await restart();
    const saved = join(bench.root, 'checkpoints.json');
    await writeFile(saved, (await runCommand(checkpoints)).out);
    const log = bench.file('audit.log');
    const original = await readFile(log, 'utf8');
    const copy = join(bench.root, 'copy.log');
    const verifyCopy = async (text: string) => {
      await writeFile(copy, text);
      return await runCommand(verify, { file: copy, checkpoints: saved });
    };
    expect(await verifyCopy(original)).toMatchObject({ code: 0, out: expect.stringMatching(/^no problems/) });
    const changed = await verifyCopy(original.replace('"name":"blue"', '"name":"teal"'));
    expect(changed).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^copy.log:\d+: line \d+ of the log was changed/),
    });
    const { items } = JSON.parse(await readFile(saved, 'utf8')) as AuditCheckpointList;
    const short = original.split('\n').slice(0, (items[0]?.seq ?? 0) - 1);
    const cut = await verifyCopy(`${short.join('\n')}\n`);
    expect(cut).toMatchObject({ code: 1, out: expect.stringContaining('the last lines were removed') });
    expect(await runCommand(verify, { file: log, output: 'json' })).toMatchObject({ code: 0 });
    await expect(runCommand(verify, { file: join(bench.root, 'none') })).rejects.toThrow('--file: cannot read');
    await expect(runCommand(verify, { 'public-key': saved })).rejects.toThrow('--public-key needs --file');
    await expect(runCommand(verify, { file: log, 'public-key': log })).rejects.toThrow('no Ed25519 public key');
  });

  it('shows permanently that signed lines were missing at the start', async () => {
    await server.close();
    const log = bench.file('audit.log');
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, `${lines.slice(0, 5).join('\n')}\n`);
    server = await bench.start();
    await bench.createObject(server, 'projects', 'later');
    await restart();
    const { code, out } = await runCommand(verify);
    expect(out).toMatch(/^(replica \S+: )?audit.log:6: signed lines were missing when the server started/);
    expect(code).toBe(1);
  });
});

describe('the evidence of the audit logs of several replicas', () => {
  it('is verified by any of them', async () => {
    const env = await ReplicasTestEnv.open();
    try {
      const { first, second } = env;
      await first.bench.createObject(first.server, 'users', 'anna');
      await second.bench.createObject(second.server, 'users', 'ben');
      const { text } = await second.bench.send(second.server, '/audit/verify');
      const results = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ReplicaVerification & AuditVerification);
      expect(results).toHaveLength(2);
      expect(new Set(results.map(({ replica }) => replica)).size).toBe(2);
      for (const { problems, lines } of results) {
        expect(problems).toEqual([]);
        expect(lines).toBeGreaterThan(0);
      }
    } finally {
      await env.close();
    }
  });
});
