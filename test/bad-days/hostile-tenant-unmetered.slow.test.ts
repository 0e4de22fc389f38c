import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unmeteredVariable } from '../../src/process/disable-meters-in-tests.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';
import { eventually } from './eventually.ts';
import { attacks } from './hostile-tenant/attacks.ts';
import { lateness } from './hostile-tenant/lateness.ts';
import { Neighbour } from './hostile-tenant/neighbour.ts';
import { Tenant } from './hostile-tenant/tenant.ts';

const stallSeconds = 2;
/**
 * Without meters, only the watchdog ends the work of the attacker. Until then, the main thread may be busy with the
 * results of this work.
 */
const acceptable = { p99: 1_000 * (stallSeconds + 2), worst: 1_000 * (stallSeconds + 2) };
const readyWithinMs = 5_000;
const warmUpMs = 2_000;

const unmeteredAttacks = attacks.filter(({ needsMeter }) => needsMeter === true);

let folder: string;
let server: FlotillaProcess;
let admin: ApiCaller;
let neighbour: Neighbour;
const tenants: Tenant[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-unmetered-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, `planes: {workers: 2, stallSeconds: ${stallSeconds}}\n`);
  const environment = { [unmeteredVariable]: '1' };
  server = await startFlotilla({ args: ['--log-level', 'warn', '--config', config], environment });
  admin = await ApiCaller.of(server);
  const victim = await Tenant.create(admin, { name: 'victim', role: 'user' });
  tenants.push(victim);
  neighbour = await Neighbour.of(victim);
  await neighbour.measureDuring(() => pause(warmUpMs));
});

afterAll(async () => {
  await neighbour?.stop();
  await Promise.all(tenants.map((tenant) => tenant.close()));
  await admin?.close();
  await server?.remove();
  rmSync(folder, { recursive: true });
});

/**
 * Deletes the tenant's virtual cluster, so the virtual cluster of the next tenant runs on the same worker, and not on
 * the neighbour's worker.
 */
async function removeVirtualCluster(tenant: Tenant): Promise<void> {
  const path = `${tenant.instances}/${tenant.name}`;
  const send = (method: 'GET' | 'DELETE') => tenant.send({ method, path });
  expect((await send('DELETE')).status).toBe(200);
  await eventually(
    20,
    () => send('GET'),
    ({ status }) => status === 404 || status === 403,
  );
}

describe('while a tenant does work that has no meter, another tenant is served again after the watchdog ends it', () => {
  it.each(unmeteredAttacks.map((attack, index) => ({ ...attack, attack, index })))(
    '$name',
    async ({ attack, index }) => {
      const attacker = await Tenant.create(admin, { name: `attacker-${index}`, role: 'admin' });
      tenants.push(attacker);
      try {
        await attack.prepare?.(attacker);
        const measured = await neighbour.measureDuring(() => attack.run(attacker));
        const { latencies } = measured;
        console.log(`${attack.name}: p99 ${latencies.p99.toFixed(0)} ms, worst ${latencies.worst.toFixed(0)} ms`);
        expect(latencies.failures.slice(0, 5)).toEqual([]);
        expect(lateness(measured, acceptable)).toBeUndefined();
      } finally {
        await removeVirtualCluster(attacker);
      }
    },
  );
});

it('a server that is killed after this work is ready in time', async () => {
  await server.stop('SIGKILL');
  const begun = performance.now();
  server = await server.restart();
  expect(performance.now() - begun).toBeLessThan(readyWithinMs);
  const restarted = await ApiCaller.of(server);
  expect((await restarted.send('GET', '/readyz')).status).toBe(200);
  await restarted.close();
});
