import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../test/harness/exchange.ts';
import { isDryRunEvent } from '../api/audit/audit-event.ts';
import { AuditAnnotations } from './audit-annotations.ts';
import { auditAnnotationsOf, markDryRun } from './exchange.ts';

describe('the annotations of an audit event', () => {
  it('keep their first value', () => {
    const annotations = new AuditAnnotations();
    annotations.addOfAdmission('rule/size', 'one');
    annotations.addOfAdmission('rule/size', 'two');
    annotations.add('rule/size', 'three');
    expect(annotations.values).toEqual({ 'rule/size': 'one' });
  });

  it('have no keys of the server that a policy or webhook chose', () => {
    const annotations = new AuditAnnotations();
    for (const prefix of ['platform.sh', 'Platform.SH', 'management.platform.sh', 'a.b.platform.sh']) {
      annotations.addOfAdmission(`${prefix}/dry-run`, 'true');
    }
    expect(annotations.values).toEqual({});
    annotations.addOfAdmission('myplatform.sh/dry-run', 'true');
    annotations.addOfAdmission('rule/platform.sh', 'true');
    annotations.add('management.platform.sh/instance', 'demo');
    expect(annotations.values).toEqual({
      'myplatform.sh/dry-run': 'true',
      'rule/platform.sh': 'true',
      'management.platform.sh/instance': 'demo',
    });
  });

  it('of policies and webhooks are limited in number, without an effect on those of the server', () => {
    const annotations = new AuditAnnotations();
    for (let index = 0; index < 100; index++) annotations.addOfAdmission(`rule/k${index}`, 'v');
    expect(Object.keys(annotations.values)).toHaveLength(64);
    annotations.add('management.platform.sh/instance', 'demo');
    expect(annotations.values).toHaveProperty(['management.platform.sh/instance'], 'demo');
  });

  it('of policies and webhooks are limited in size', () => {
    const annotations = new AuditAnnotations();
    for (let index = 0; index < 100; index++) annotations.addOfAdmission(`rule/k${index}`, 'v'.repeat(4_096));
    annotations.addOfAdmission('rule/small', 'v');
    expect(Object.keys(annotations.values)).toEqual(['rule/k0', 'rule/k1', 'rule/k2', 'rule/small']);
  });

  it('mark a dry run only if the server does so', () => {
    const exchange = exchangeFor();
    const annotations = auditAnnotationsOf(exchange);
    annotations.addOfAdmission('platform.sh/dry-run', 'true');
    expect(isDryRunEvent({ annotations: annotations.values })).toBe(false);
    markDryRun(exchange);
    expect(isDryRunEvent({ annotations: annotations.values })).toBe(true);
  });

  it('of an event do not change when a later stage adds one', () => {
    const annotations = new AuditAnnotations();
    const received = annotations.values;
    annotations.add('key', 'value');
    expect(received).toEqual({});
  });
});
