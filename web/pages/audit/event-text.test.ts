import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/api/audit/audit-event.ts';
import { managementGroup, projectNamespace } from '../../../src/api/naming.ts';
import { codeTone, requestText, userText } from './event-text.ts';

const base: AuditEvent = {
  level: 'Metadata',
  auditID: 'a',
  stage: 'ResponseComplete',
  verb: 'get',
  requestURI: '/metrics?x=y',
  sourceIPs: [],
  userAgent: '',
  requestReceivedTimestamp: '',
  stageTimestamp: '',
};

describe('the text of an audit event', () => {
  it('names the resource or path', () => {
    expect(requestText(base)).toBe('/metrics');
    const ref = { resource: 'virtualclusterinstances', apiGroup: managementGroup };
    expect(requestText({ ...base, objectRef: ref })).toBe('virtualclusterinstances');
    expect(
      requestText({
        ...base,
        objectRef: { ...ref, subresource: 'kubeconfig', name: 'demo', namespace: projectNamespace('shop') },
      }),
    ).toBe('virtualclusterinstances/kubeconfig "demo" in project "shop"');
    expect(requestText({ ...base, objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'x' } })).toBe(
      'deployments.apps in namespace "x"',
    );
  });

  it('names the user', () => {
    expect(userText(base)).toBe('unknown user');
    const user = { username: 'root', groups: [] };
    expect(userText({ ...base, user })).toBe('root');
    expect(userText({ ...base, user, impersonatedUser: { username: 'anna', groups: [] } })).toBe('root as anna');
  });

  it('distinguishes client and server errors', () => {
    expect([undefined, 201, 403, 503].map(codeTone)).toEqual(['off', 'good', 'busy', 'bad']);
  });
});
