import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { etcdPeerUrl, startEtcd } from '../../harness/kube-apiserver.mjs';
import { freePorts } from '../../harness/start-program.mjs';

const size = 3;

/** An etcd cluster of three members on free loopback ports, without TLS. It syncs to disk as it does by default. */
export async function startEtcdMembers({ programs, dataDir, signal }) {
  const ports = await freePorts(2 * size);
  const places = Array.from({ length: size }, (_, at) => ({
    name: `member-${at}`,
    dataDir: join(dataDir, `member-${at}`),
    ports: ports.slice(2 * at, 2 * at + 2),
  }));
  const cluster = places.map(({ name, ports: [, peerPort] }) => `${name}=${etcdPeerUrl(peerPort)}`).join(',');
  const members = places.map((place) => {
    mkdirSync(place.dataDir, { recursive: true });
    return startEtcd({ programs, ...place, cluster });
  });
  const stop = async () => {
    await Promise.all(members.map((member) => member.stop()));
  };
  try {
    for (const member of members) await untilHealthy(member, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: members[0].url,
    endpoints: members.map(({ url }) => url).join(','),
    pids: members.map(({ pid }) => pid),
    version: versionOf(programs.etcd),
    stop,
  };
}

/** A member is healthy if a quorum of the members serves its reads. */
async function untilHealthy(member, signal) {
  for (;;) {
    member.failIfEnded();
    const answer = await fetch(`${member.url}/health`).catch(() => undefined);
    if (answer?.status === 200 && (await answer.json()).health === 'true') return;
    await sleep(50, undefined, { signal });
  }
}

function versionOf(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /^etcd Version: (\S+)/.exec(stdout)?.[1] ?? 'of unknown version';
}
