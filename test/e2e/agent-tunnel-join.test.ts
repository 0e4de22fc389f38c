import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, type ServingProcess, startFlotilla, startServing } from '../harness/flotilla-process.ts';

/** Long enough for a busy machine. */
const patient = { timeout: 60_000, interval: 500 };

describe('an agent that joins with the command that the CLI prints', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  let agent: ServingProcess | undefined;
  const dataDir = () => join(home.folder, 'agent');

  beforeAll(async () => {
    home = cliHome({ KUBECONFIG: '' });
    flotilla = await startFlotilla();
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
  }, 60_000);
  afterAll(async () => {
    await agent?.stop();
    home.remove();
    await flotilla.remove();
  });

  /** Returns the arguments of the printed `flotilla agent` command, with `--built-in` in place of `--kubeconfig`. */
  function argumentsIn(printed: string): string[] {
    const [, command = ''] = /^ {2}flotilla (agent .*)$/m.exec(printed) ?? [];
    // A shell splits the printed command into words, as it would for a user.
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const at = words.indexOf('--kubeconfig');
    words.splice(at, 2, '--built-in');
    return [...words, '--listen', '127.0.0.1:0', '--data-dir', dataDir()];
  }

  const agentOf = async () =>
    JSON.parse(await home.ok(['cluster', 'get', 'edge', '-o', 'json'])).status.agents?.[0] ?? {};
  const waitUntilConnected = () =>
    expect
      .poll(async () => await home.ok(['cluster', 'get', 'edge']), patient)
      .toMatch(/edge +Initialized +true +agent/);

  it('serves its cluster, joins once, and joins again after its disk was lost', async () => {
    const printed = await home.ok(['cluster', 'add', 'edge', '--join', '--chart', 'oci://example.com/flotilla-agent']);
    expect(printed).toMatch(
      /^cluster "edge" created\nRun one of these commands within an hour\. The token works once\./,
    );
    expect(printed).toMatch(
      /^ {2}helm install edge-agent oci:\/\/example.com\/flotilla-agent .*\\\n +--set tunnel=true --set joinToken=join1\.\S+$/m,
    );
    const first = argumentsIn(printed);
    agent = await startServing(first);
    await waitUntilConnected();
    await home.ok(['create', 'demo', '--cluster', 'edge', '--wait']);
    const { keyFingerprint } = await agentOf();
    expect(keyFingerprint).toMatch(/^SHA256:/);
    expect(await home.ok(['cluster', 'get', 'edge', '-o', 'wide'])).toContain(keyFingerprint);
    const agentLine = /^agent \d+\.\d+\.\d+ \(cluster edge\)$/m;
    await expect.poll(() => home.ok(['version']), patient).toMatch(agentLine);
    expect(JSON.parse(await home.ok(['version', '-o', 'json'])).agents).toEqual([
      { cluster: 'edge', version: description.version, connected: true },
    ]);

    // The agent's disk is lost, and the join token is already used.
    await home.ok(['delete', 'demo', '--wait']);
    await agent.stop('SIGKILL');
    rmSync(dataDir(), { recursive: true });
    await expect(startServing(first)).rejects.toThrow(
      /the server refuses the join token: .*create another one with "flotilla cluster rejoin edge"/,
    );
    const again = await home.run(['cluster', 'rejoin', 'edge']);
    expect(again.stderr).toBe('the credentials of the agents of cluster "edge" have ended\n');
    expect(again.stdout).toContain('helm upgrade --install --reuse-values edge-agent charts/flotilla-agent');
    agent = await startServing(argumentsIn(again.stdout));
    await expect.poll(async () => (await agentOf())?.keyFingerprint, patient).toMatch(/^SHA256:/);
    expect((await agentOf()).keyFingerprint).not.toBe(keyFingerprint);
    // The cluster runs inside its agent (--built-in), so a second agent cannot be added.
    const listed = await home.ok(['cluster', 'get', 'edge']);
    expect(listed).toMatch(/^AGENT +HOST NAME +CONNECTED +SEEN +VERSION +ROUND TRIP +THROUGHPUT +KEY$/m);
    expect(listed).toMatch(/^agent-edge-\S+ +\S+ +true .*SHA256:/m);
    expect((await home.run(['cluster', 'add-agent', 'edge'])).stderr).toContain('runs the cluster itself (--built-in)');
    expect(await home.ok(['cluster', 'upgrade-agent', 'edge'])).toContain('have the version of the server');
    const several = await home.ok(['cluster', 'add', 'pair', '--join', '--agents', '2']);
    expect(several).toContain('The token works for 2 agents.');
    expect(several).toMatch(/^ +--set tunnel=true --set replicas=2 --set joinToken=join1\.\S+$/m);
    expect(await home.run(['cluster', 'add', 'none', '--agents', '2'])).toMatchObject({ code: 1 });
    expect(await home.run(['connect', 'nothing', '--via', 'tunnel'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--via: "tunnel" is not auto, direct or gateway'),
    });
  }, 180_000);
});
