import { describe, expect, it } from 'vitest';
import { OtlpTestReceiver } from '../../process/tracing/otlp-receiver.fixture.ts';
import { GatewayTestEnv, instances } from '../gateway.fixture.ts';
import { inPhase, isGone, waitForInstance } from '../instances.fixture.ts';

describe('the metrics of a server', () => {
  const at = GatewayTestEnv.forEach();

  const metric = async (series: string): Promise<number> => {
    const { text } = await at.send('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    expect(line, `${series} in\n${text}`).toBeDefined();
    return Number(line?.slice(series.length + 1));
  };

  it('count virtual clusters by phase, from their creation to their removal', async () => {
    expect(await metric('flotilla_virtualclusterinstances{phase="Ready"}')).toBe(0);
    await at.createInstance('demo');
    await waitForInstance(at.bench, at.server, { name: 'demo' }, inPhase('Ready'));
    expect(await metric('flotilla_virtualclusterinstances{phase="Ready"}')).toBe(1);
    expect(await metric('flotilla_virtualclusterinstances{phase="Pending"}')).toBe(0);
    await at.restart();
    expect(await metric('flotilla_virtualclusterinstances{phase="Ready"}')).toBe(1);
    await at.send(`${instances}/demo`, { method: 'DELETE' });
    await waitForInstance(at.bench, at.server, { name: 'demo' }, isGone);
    expect(await metric('flotilla_virtualclusterinstances{phase="Ready"}')).toBe(0);
  });

  it('count the reconciles of controllers, and show the end of certificates', async () => {
    await at.createInstance('demo');
    await waitForInstance(at.bench, at.server, { name: 'demo' }, inPhase('Ready'));
    expect(await metric('flotilla_reconciles_total{name="instances"}')).toBeGreaterThan(0);
    expect(await metric('workqueue_depth{name="instances"}')).toBeGreaterThanOrEqual(0);
    for (const name of ['serving', 'ca']) {
      const expiry = await metric(`flotilla_certificate_expiry_timestamp_seconds{certificate="${name}"}`);
      expect(expiry).toBeGreaterThan(Date.now() / 1_000);
    }
    expect(await metric('nodejs_eventloop_active_seconds_total')).toBeGreaterThan(0);
  });

  it('have a trace of a share of the reconciles', async () => {
    const receiver = await OtlpTestReceiver.start();
    try {
      await at.restart(await at.bench.settings({ tracing: { endpoint: receiver.url, sampleRatio: 1 } }));
      await at.createInstance('demo');
      await waitForInstance(at.bench, at.server, { name: 'demo' }, inPhase('Ready'));
      await at.restart();
      const reconciles = receiver.spans.filter(({ name }) => name === 'reconcile instances');
      expect(reconciles.length).toBeGreaterThan(0);
      expect(reconciles[0]).toMatchObject({ parentSpanId: '', kind: 'SPAN_KIND_INTERNAL', status: '' });
    } finally {
      receiver.close();
    }
  });
});
