import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { parser } from '@prometheus-io/lezer-promql';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OtlpTestReceiver } from '../../src/process/tracing/otlp-receiver.fixture.ts';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const alerts = load(read('monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('monitoring/grafana-dashboard.json')) as { panels: Panel[] };

/** The labels that Prometheus adds to every scraped metric. Prometheus also adds the metric `up`. */
const scrapeLabels = ['job', 'instance'];

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/**
 * Parses a PromQL expression with the grammar of Prometheus. Returns the selectors of the expression and the labels
 * that it groups by.
 */
function parseQuery(query: string): { readonly selectors: readonly Selector[]; readonly grouping: readonly string[] } {
  const text = query.replaceAll('$__rate_interval', '5m');
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  let isGrouping = false;
  parser.parse(text).iterate({
    enter(node) {
      const part = text.slice(node.from, node.to);
      if (node.type.isError)
        throw new Error(`not valid PromQL near "${text.slice(node.from, node.from + 20)}": ${text}`);
      if (node.name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') last(selectors).metric = part;
      if (node.name === 'GroupingLabels') isGrouping = true;
      if (node.name === 'LabelName') (isGrouping ? grouping : last(selectors).labels).push(part);
    },
    leave(node) {
      if (node.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, grouping };
}

function last<T>(list: readonly T[]): T {
  const found = list.at(-1);
  if (found === undefined) throw new Error('a label outside of a selector');
  return found;
}

/** Returns the labels of each metric in the Prometheus text format. */
function labelsByMetric(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>([['up', new Set()]]);
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    const names = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, name = '']) => name);
    found.set(metric, new Set([...(found.get(metric) ?? []), ...names]));
  }
  return found;
}

describe('dashboards and alerts', () => {
  let env: ServerTestEnv;
  let receiver: OtlpTestReceiver;
  let metrics: ReadonlyMap<string, ReadonlySet<string>>;

  beforeAll(async () => {
    env = await ServerTestEnv.open();
    receiver = await OtlpTestReceiver.start();
    // The receiver accepts traces and audit lines without decoding them.
    receiver.respond = (response) => {
      response.end();
      return false;
    };
    const forward = [{ name: 'siem', type: 'webhook', url: receiver.url }];
    const backup = { schedule: '@yearly', directory: env.file('backups') };
    const mail = { server: 'smtp://127.0.0.1:9', from: 'flotilla@example.com' };
    const settings = await env.settings({ tracing: { endpoint: receiver.url }, audit: { forward }, backup, mail });
    const server = await env.start(settings);
    const kubeconfig = load(await env.read('admin.kubeconfig')) as JsonObject;
    // Nothing listens on this port, so requests to the cluster get 503.
    const unreachable = dump({ ...kubeconfig, 'current-context': 'local' }).replaceAll(
      server.url,
      'https://127.0.0.1:9',
    );
    await env.createObject(server, 'clusters', 'far', { kubeconfig: unreachable });
    expect((await env.send(server, '/kubernetes/cluster/far/api')).code).toBe(503);
    expect((await env.send(server, '/metrics', { token: 'wrong' })).code).toBe(401);
    const users = '/kubernetes/management/apis/management.platform.sh/v1/users';
    expect((await env.send(server, `${users}?watch=true&timeoutSeconds=1`)).code).toBe(200);
    metrics = labelsByMetric((await env.send(server, '/metrics')).text);
  });

  afterAll(async () => {
    await env.close();
    receiver.close();
  });

  function check(query: string): void {
    const { selectors, grouping } = parseQuery(query);
    expect(selectors, query).not.toEqual([]);
    for (const { metric, labels } of selectors) {
      const known = [...(metrics.get(metric) ?? []), ...scrapeLabels];
      expect([...metrics.keys()], query).toContain(metric);
      for (const label of [...labels, ...grouping]) expect(known, `${metric} in ${query}`).toContain(label);
    }
  }

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    'the alert %s uses metrics and labels that exist',
    (_, rule) => {
      check(rule.expr);
      for (const [, label = ''] of Object.values(rule.annotations)
        .join()
        .matchAll(/\$labels\.(\w+)/g)) {
        const { selectors, grouping } = parseQuery(rule.expr);
        const [first] = selectors;
        expect([...(metrics.get(first?.metric ?? '') ?? []), ...scrapeLabels, ...grouping]).toContain(label);
      }
    },
  );

  it.each(dashboard.panels.map((panel) => [panel.title, panel] as const))(
    'the panel "%s" uses metrics and labels that exist',
    (_, panel) => {
      for (const { expr } of panel.targets) check(expr);
    },
  );

  it('finds a metric and a label that do not exist', () => {
    expect(() => check('sum(rate(flotilla_nothing[5m]))')).toThrow('flotilla_nothing');
    expect(() => check('workqueue_depth{queue="x"}')).toThrow('queue');
    expect(() => check('sum by (queue) (workqueue_depth)')).toThrow('queue');
    expect(() => check('sum(workqueue_depth')).toThrow('not valid PromQL');
  });

  it('has a runbook for each alert, and no others', () => {
    const sections = [...read('docs/guides/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`docs/guides/runbooks.md#${alert.toLowerCase()}`);
    }
  });

  it('has tests for each alert that fire it, and tests that do not', () => {
    interface AlertTest {
      readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
    }
    const { tests } = load(read('monitoring/alerts.test.yaml')) as { tests: AlertTest[] };
    const all = tests.flatMap((test) => test.alert_rule_test);
    for (const { alert } of rules) {
      const own = all.filter(({ alertname }) => alertname === alert);
      expect(own.map(({ exp_alerts }) => exp_alerts.length > 0).sort(), alert).toEqual([false, true]);
    }
  });

  it('describes every metric of the server besides those of kube-apiserver in the guide', () => {
    const guide = read('docs/guides/observe.md');
    const own = [...metrics.keys()].filter((name) => /^(flotilla|workqueue)_/.test(name));
    expect(own.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
