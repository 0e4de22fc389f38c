import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { compareScale, Workloads } from '../../workloads.ts';

const namespace = 'batches';
const batch = `/apis/batch/v1/namespaces/${namespace}`;
const jobs = `${batch}/jobs`;
const cronJobs = `${batch}/cronjobs`;
const controllers = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
const pod = { containers: [{ name: 'task', image: 'busybox:1' }], restartPolicy: 'Never' };
const template = { spec: pod };
const labeled = { metadata: { labels: { app: 'task' } }, spec: pod };
const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 3, template };

/** Sends requests for objects of one kind. The objects differ only in their specs. */
class Specs {
  readonly #workloads: Workloads;
  readonly #path: string;

  constructor(workloads: Workloads, path: string) {
    this.#workloads = workloads;
    this.#path = path;
  }

  async post(name: string, ...specs: readonly object[]) {
    for (const spec of specs) await this.#workloads.post(this.#path, { metadata: { name }, spec });
  }

  async merge(name: string, ...changes: readonly object[]) {
    for (const change of changes) await this.#workloads.merge(`${this.#path}/${name}`, change);
  }
}

function condition(...types: readonly string[]) {
  return { conditions: types.map((type) => ({ type, status: 'True' })) };
}

const times = { startTime: '2024-01-01T00:00:00Z', completionTime: '2024-01-01T00:10:00Z' };

/** Compares the kinds of batch/v1, and replication controllers. */
export function batchKinds(pair: Pair): void {
  describe('Batch kinds and replication controllers', () => {
    const compared = comparedTests(pair);
    const workloads = new Workloads(pair);
    const job = new Specs(workloads, jobs);
    const cron = new Specs(workloads, cronJobs);

    compared('are in discovery', async () => {
      await pair.send({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: namespace } } });
      await workloads.get('/apis/batch/v1');
    });

    compared('include jobs with defaults, a generated selector and columns', async () => {
      await job.post('plain', { template });
      await job.post('labeled', { template: labeled });
      for (const labels of [{ a: 'b' }, labeled.metadata.labels]) {
        const metadata = { name: `own-${Object.keys(labels)[0]}`, labels };
        await workloads.post(jobs, { metadata, spec: { template: labeled } });
      }
      await job.post('indexed', { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 });
      const selector = { matchLabels: { app: 'task' } };
      await job.post('manual', { manualSelector: true, selector, template: labeled, parallelism: 2, suspend: true });
      await job.post('a.b', { template });
      await workloads.table(`${jobs}/plain`);
      await workloads.table(`${jobs}/manual`);
      await workloads.get(`${jobs}?fieldSelector=status.successful%3D0,metadata.name%3Dplain`);
      await workloads.patch(`${jobs}/applied?fieldManager=m`, applyPatch, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'applied' },
        spec: { template: labeled },
      });
    });

    compared('have rules for the spec of jobs', async () => {
      const amounts = [
        'parallelism',
        'completions',
        'activeDeadlineSeconds',
        'backoffLimit',
        'ttlSecondsAfterFinished',
      ];
      const negative = Object.fromEntries(amounts.map((name) => [name, -1]));
      const always = { spec: { ...pod, restartPolicy: 'Always' } };
      const selector = { matchLabels: { app: 'x' } };
      const wrong = { metadata: { labels: { 'job-name': 'x' } }, spec: { ...pod, restartPolicy: 'OnFailure' } };
      await job.post(
        'bad',
        { ...negative, template: always, backoffLimitPerIndex: -1, maxFailedIndexes: -1 },
        { template, managedBy: 'x', completionMode: 'x', podReplacementPolicy: 'x' },
        { template, managedBy: `a.b/${'c'.repeat(63)}`, maxFailedIndexes: 1 },
        { template: wrong, podFailurePolicy: {}, podReplacementPolicy: 'TerminatingOrFailed' },
        { template, selector },
        { template, manualSelector: true },
        { template: labeled, manualSelector: true, selector },
        { template, completionMode: 'Indexed', parallelism: 100_001, maxFailedIndexes: 100_001 },
        { ...indexed, completions: 100_002, parallelism: 10_001, backoffLimitPerIndex: 1 },
      );
      await job.post('a.b', { ...indexed });
    });

    compared('have rules for the policies of jobs', async () => {
      const onExitCodes = { operator: 'In', values: [0, 3, 3, 1], containerName: 'x' };
      const onPodConditions = [{ type: 'A/b/c', status: 'x' }, { type: 'Ready' }];
      const rules = [
        { action: 'FailIndex', onExitCodes },
        { action: 'x', onExitCodes: { operator: 'y' }, onPodConditions },
        { onPodConditions: [{ type: 'Ready' }] },
        { action: 'Count' },
      ];
      await job.post('bad', { template, podFailurePolicy: { rules } });
      const many = Array.from({ length: 21 }, () => ({ action: 'Ignore', onPodConditions: [{ type: 'Ready' }] }));
      await job.post('bad', { template, podFailurePolicy: { rules: many } });
      const codes = { operator: 'NotIn', values: [1, 2], containerName: 'task' };
      await job.post('failing', { template, podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: codes }] } });
      const successes = [
        {},
        { succeededIndexes: '0-2-3', succeededCount: 4 },
        { succeededIndexes: '1,0', succeededCount: -1 },
        { succeededIndexes: '0,2', succeededCount: 3 },
        { succeededIndexes: 'x' },
        { succeededIndexes: '1-3' },
        { succeededIndexes: '2-1' },
      ];
      await job.post('bad', { ...indexed, successPolicy: { rules: successes } }, { ...indexed, successPolicy: {} });
      await job.post('bad', { template, successPolicy: { rules: [{ succeededCount: 1 }] } });
      await job.post('partial', { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0,2' }] } });
    });

    compared('have rules for updates of jobs', async () => {
      await job.merge(
        'plain',
        { spec: { parallelism: 2, suspend: true } },
        { spec: { completions: 2, completionMode: 'Indexed' } },
        { spec: { parallelism: -1, selector: { matchLabels: { a: 'b' } } } },
        { spec: { managedBy: 'a.b/c' } },
        { spec: { template: { spec: { nodeSelector: { a: 'b' } }, metadata: { annotations: { a: 'b' } } } } },
        {
          spec: { template: { spec: { containers: [{ ...pod.containers[0], resources: { limits: { cpu: '1' } } }] } } },
        },
        { spec: { template: { spec: { containers: [{ ...pod.containers[0], image: 'other' }] } } } },
        { spec: { suspend: false } },
        { spec: { template: { spec: { nodeSelector: { a: 'c' } } } } },
      );
      await job.merge('failing', { spec: { podFailurePolicy: null } }, { spec: { podFailurePolicy: { rules: [] } } });
      await job.merge('partial', { spec: { successPolicy: { rules: [{ succeededCount: 1 }] } } });
      await job.merge('indexed', { spec: { completions: 4 } }, { spec: { completions: 4, parallelism: 4 } });
    });

    compared('have rules for the status of jobs', async () => {
      const status = (name: string, ...changes: readonly object[]) =>
        job.merge(`${name}/status`, ...changes.map((change) => ({ status: change })));
      await status(
        'plain',
        { active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 },
        { active: 2, ready: 3, uncountedTerminatedPods: { succeeded: ['a', 'a', ''], failed: ['a'] } },
        { completedIndexes: '1', failedIndexes: '1' },
        { completionTime: times.completionTime },
        { ...condition('Complete', 'Failed', 'FailureTarget'), active: 1, terminating: 1 },
        { ...condition('Complete'), startTime: times.completionTime, completionTime: times.startTime },
        { ...condition('Failed'), uncountedTerminatedPods: { failed: ['a'] } },
        { startTime: times.startTime, active: 1, ready: 1, failed: 2 },
        { startTime: times.completionTime, failed: 1 },
        { ...condition('SuccessCriteriaMet', 'Complete'), ...times, active: 0, ready: 0, succeeded: 1 },
      );
      await workloads.table(`${jobs}/plain`);
      await status('plain', { conditions: [], succeeded: 0 }, { completionTime: '2024-01-01T00:20:00Z' });
      await status('indexed', { completedIndexes: '0-2', failedIndexes: '2' }, { completedIndexes: '9' });
      await status('indexed', { completedIndexes: '0', failedIndexes: 'x' });
      await status('partial', { ...condition('Complete'), ...times });
    });

    compared('keep the pods of deleted jobs by default', async () => {
      await pair.send({ method: 'DELETE', path: `${jobs}/labeled` });
      await pair.send({ method: 'DELETE', path: `${jobs}/failing?propagationPolicy=Background` });
      await pair.send({ method: 'DELETE', path: `${jobs}/partial`, json: { propagationPolicy: 'Foreground' } });
    });

    compared('include cron jobs with defaults, rules and columns', async () => {
      const jobTemplate = { spec: { template } };
      await cron.post('daily', { schedule: '@daily', jobTemplate });
      await cron.post('zone', { schedule: '0/15 9-17 * JAN,feb mon-FRI', timeZone: 'Europe/Berlin', jobTemplate });
      await cron.post('a.b', { schedule: '@every 1h30m', jobTemplate, timeZone: 'Etc/UTC' });
      await cron.post('n'.repeat(53), { schedule: '* * * * *', jobTemplate });
      for (const schedule of [
        '* * * *',
        '60 * * * *',
        '* * 0 * *',
        '5-1 * * * *',
        '*/0 * * * *',
        '1-2-3 * * * *',
        '1/2/3 * * * *',
        'x * * * *',
        '-1 * * * *',
        '99999999999999999999 * * * *',
        '@never',
        '@every x',
        '@every 5',
        'TZ=UTC 0 * * * *',
        'CRON_TZ=Nowhere 0 * * * *',
        'TZ=0',
      ]) {
        await cron.post('bad', { schedule, jobTemplate });
      }
      for (const timeZone of ['', 'Local', 'Nowhere/Else', 'europe/berlin', '../x', 'a//b', '-x']) {
        await cron.post('bad', { schedule: '@hourly', timeZone, jobTemplate });
      }
      const badJob = { spec: { template, selector: {}, manualSelector: true, parallelism: -1 } };
      await cron.post('bad', { jobTemplate: badJob, concurrencyPolicy: 'x', startingDeadlineSeconds: -1 });
      const limits = { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 };
      await cron.post('bad', { schedule: '@hourly', jobTemplate, ...limits });
      await cron.merge('daily', { spec: { schedule: 'TZ=UTC @daily' } }, { spec: { suspend: true } });
      const active = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'a' }];
      await cron.merge('daily/status', { status: { active, lastScheduleTime: times.startTime } });
      await workloads.table(`${cronJobs}/daily`);
      await workloads.table(`${cronJobs}/zone`);
    });

    compared('include replication controllers with defaults, rules, a status and a scale', async () => {
      const running = { metadata: labeled.metadata, spec: { containers: pod.containers } };
      const controller = new Specs(workloads, controllers);
      await controller.post('web', { template: running });
      await controller.post('bare', {}, { selector: { a: 'b' }, template: running, replicas: -1, minReadySeconds: -1 });
      const deadline = { ...labeled, spec: { ...pod, activeDeadlineSeconds: 1 } };
      await controller.post('bad', { template: deadline });
      await controller.merge('web', { spec: { selector: { app: 'x' } } }, { spec: { minReadySeconds: 2 } });
      await controller.merge('web/status', { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 } });
      await controller.merge('web/status', { status: { replicas: 2, fullyLabeledReplicas: 1 } });
      await workloads.get(`${controllers}?fieldSelector=status.replicas%3D2`);
      await workloads.table(`${controllers}/web`);
      await compareScale(workloads, `${controllers}/web`, { apiVersion: 'v1', kind: 'ReplicationController' });
      await pair.send({ method: 'DELETE', path: `${controllers}/web` });
    });
  });
}
