import { afterEach, expect, it } from 'vitest';
import { projectKind } from '../../api/management/v1/project.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagementTestEnv } from '../../management/management.fixture.ts';
import { type RunningController, startController } from './controller.ts';

const running: RunningController[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

it('a controller reconciles its own keys, and all gained ones', async () => {
  const { plane, clock, create } = await openManagementTestEnv();
  const projects = inProcessClient(plane.kinds, 'test').resource(projectKind);
  const owned = new Set(['one']);
  const reconciled: string[] = [];
  const foreign: string[] = [];
  let onReconciled = () => {};
  let gained = () => {};
  let isRunning: (matches: (key: string) => boolean) => boolean = () => false;
  const until = (key: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (reconciled.includes(key)) resolve();
      };
      onReconciled = check;
      check();
    });
  const controller = startController({
    name: 'test',
    clock,
    log: silentLog,
    share: {
      owns: (key) => owned.has(key),
      onGained: (listener) => {
        gained = listener;
        return () => {};
      },
      register: (given) => {
        isRunning = given;
        return () => {};
      },
    },
    onForeignKey: (key) => void foreign.push(key),
    sources: [{ resource: projects, keys: ({ metadata }) => [metadata.name ?? ''] }],
    async reconcile(key) {
      expect(isRunning((each) => each === key)).toBe(true);
      reconciled.push(key);
      onReconciled();
      return undefined;
    },
  });
  running.push(controller);
  await controller.synced;
  for (const name of ['two', 'one']) await create('projects', name, {});
  await until('one');
  expect(reconciled).not.toContain('two');
  expect(foreign).toContain('two');
  owned.add('two');
  gained();
  await until('two');
});
