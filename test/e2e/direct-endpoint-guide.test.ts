import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { prepareGuideFolder, runBlocks, shellBlocks } from '../harness/walk-guide.ts';

/** Waits until the server reaches the cluster through its agent. */
const waitForCluster = `
until flotilla cluster get edge | grep -q 'Initialized *true *agent'; do read -r -t 0.2 <> <(:) || true; done
`;

const clusterUid = "kubectl get cluster edge -o jsonpath='{.status.clusterUID}'";

/** Deletes the data of the agent, so the agent serves a new cluster after its next start. */
const deleteData = `
uid=$(${clusterUid})
rm -r .flotilla-agent
cp .flotilla/ca.crt .
`;

/**
 * Waits until the server has noticed the new cluster of the agent. Instances that are created earlier would count as
 * lost.
 */
const waitForNewCluster = `
until [ "$(${clusterUid})" != "$uid" ]; do read -r -t 0.2 <> <(:) || true; done
`;

const useCluster = `${waitForCluster}
flotilla create "demo-$$" --cluster edge --wait
flotilla connect "demo-$$" --via "$via" -- kubectl get namespaces
flotilla delete "demo-$$" --wait
`;

describeIfAvailable(kubectlMissing, 'the guides to agents', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'direct-guide-'));
    prepareGuideFolder(folder);
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  const tokenIn = (printed: string) => /--join-token (\S+)$/m.exec(printed)?.[1] ?? '';

  it('connect a cluster that the server cannot reach', async () => {
    const [addCluster = '', ...others] = shellBlocks('clusters.md', 'Connect a cluster that the server cannot reach');
    const joined = await runBlocks([addCluster], { folder, flotilla });
    const agent = `flotilla agent --tunnel --built-in --listen 127.0.0.1:0 --data-dir joined --join-token ${tokenIn(joined)}`;
    const printed = await runBlocks([agent, waitForCluster, ...others], { folder, flotilla });
    expect(printed).toMatch(/^agent-edge-\S+ .* SHA256:/m);
    expect(tokenIn(printed)).toMatch(/^join1\./);
    await runBlocks(['flotilla cluster delete edge --yes', 'flotilla cluster delete factory --yes'], {
      folder,
      flotilla,
    });
  });

  it('start an agent with an address, one without, and one with an access key', async () => {
    const [port] = await freePorts(1);
    const edge = { '0.0.0.0:8444': `127.0.0.1:${port}`, 'https://edge.example.com:8444': `https://127.0.0.1:${port}` };
    const [addCluster = '', ...startAgent] = shellBlocks('direct-endpoint.md', 'Start an agent');
    const joined = await runBlocks([addCluster], { folder, flotilla });
    const withAddress = await runBlocks(
      [...startAgent, ...shellBlocks('direct-endpoint.md', 'Connect to the direct endpoint'), 'via=direct', useCluster],
      { folder, flotilla, replace: { ...edge, TOKEN: tokenIn(joined) } },
    );
    expect(withAddress).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/m);

    const [rejoin = '', ...withKey] = shellBlocks('direct-endpoint.md', 'Replace the key of the agent');
    const rejoined = await runBlocks([rejoin], { folder, flotilla });
    const tunnel = shellBlocks('direct-endpoint.md', 'Run an agent that nobody can connect to');
    const listen = { 'flotilla agent': 'flotilla agent --listen 127.0.0.1:0' };
    const replace = { ...listen, TOKEN: tokenIn(rejoined) };
    await runBlocks([...tunnel, 'via=gateway', useCluster], { folder, flotilla, replace });
    await runBlocks([deleteData, ...withKey, waitForNewCluster, 'via=gateway', useCluster], {
      folder,
      flotilla,
      replace: { ...listen, 'https://clusters.example.com': flotilla.url },
    });
  }, 240_000);
});
