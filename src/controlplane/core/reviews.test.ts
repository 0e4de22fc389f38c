import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { managementGroup } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { Attributes } from '../../auth/authz/attributes.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { WriteOptions } from '../../registry/verbs.ts';
import { accessReviews, kubernetesReviews, type ReviewSubject } from './reviews.ts';

const writing: WriteOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Strict' };
const group = 'authorization.k8s.io';
const asked = { namespace: 'a', verb: 'get', group: 'g', resource: 'ships', subresource: 'log', name: 'pinta' };

function reviewing(namespace = '') {
  const questions: { subject: ReviewSubject; attributes: Attributes }[] = [];
  const context: RequestContext = {
    user: { name: 'jane', uid: 'u1', groups: ['sailors'], extra: { ship: ['pinta'] } },
    accessKey: 'key-1',
    system: false,
    namespace,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
  };
  const dependencies = {
    authorize(subject: ReviewSubject, attributes: Attributes) {
      questions.push({ subject, attributes });
      return { allowed: subject.user.name === 'jane', reason: 'because' };
    },
    rules: (subject: ReviewSubject, where: string) => ({
      resourceRules: [{ verbs: ['get'], apiGroups: ['g'], resources: [`${subject.user.name} in ${where}`] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
      incomplete: false,
    }),
    clock: new ManualClock(),
  };
  const mounted = [...kubernetesReviews(dependencies), ...accessReviews(managementGroup, dependencies)];
  const post = async (kind: string, spec: unknown, metadata: object = {}, inGroup = group) => {
    const found = mounted.find((one) => one.kind.kind === kind && one.kind.group === inGroup);
    if (found?.verbs.create === undefined) throw new Error(`no ${kind} in ${inGroup}`);
    const sent = { apiVersion: `${inGroup}/v1`, kind, metadata, ...(spec === undefined ? {} : { spec }) };
    return (await found.verbs.create(context, sent as unknown as KubeObject, writing)).object;
  };
  return { mounted, questions, post };
}

async function refusal(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError)) throw new Error('was not refused', { cause: error });
  return error;
}

describe('reviews', () => {
  it('support only create (AUTHZ-01)', () => {
    const { mounted } = reviewing();
    expect(mounted.map(({ kind }) => `${kind.plural}.${kind.group}`)).toEqual([
      `selfsubjectaccessreviews.${group}`,
      `subjectaccessreviews.${group}`,
      `selfsubjectrulesreviews.${group}`,
      `localsubjectaccessreviews.${group}`,
      'selfsubjectreviews.authentication.k8s.io',
      `selfsubjectaccessreviews.${managementGroup}`,
      `subjectaccessreviews.${managementGroup}`,
      `selfsubjectrulesreviews.${managementGroup}`,
    ]);
    for (const { verbs } of mounted) expect(Object.keys(verbs)).toEqual(['create']);
    expect(mounted.filter(({ kind }) => kind.builtIn).every(({ kind }) => kind.group.endsWith('.k8s.io'))).toBe(true);
  });

  it.each([group, managementGroup])(
    'check the caller including its access key, in %s (AUTHZ-01, AUTHZ-03, KUBECTL-22)',
    async (inGroup) => {
      const { post, questions } = reviewing();
      const review = await post('SelfSubjectAccessReview', { resourceAttributes: asked }, {}, inGroup);
      expect(review).toEqual({
        kind: 'SelfSubjectAccessReview',
        apiVersion: `${inGroup}/v1`,
        metadata: {},
        spec: { resourceAttributes: asked },
        status: { allowed: true, reason: 'because' },
      });
      expect(questions).toEqual([
        {
          subject: { user: expect.objectContaining({ name: 'jane' }), system: false, accessKey: 'key-1' },
          attributes: { resourceRequest: true, version: '*', ...asked },
        },
      ]);
    },
  );

  it('accept non-resource paths (KUBECTL-22)', async () => {
    const { post, questions } = reviewing();
    await post('SelfSubjectAccessReview', { nonResourceAttributes: { path: '/metrics', verb: 'get' } });
    expect(questions[0]?.attributes).toEqual({ resourceRequest: false, path: '/metrics', verb: 'get' });
  });

  it('accept another user, who is never treated as the server itself (AUTHZ-01, AUTHZ-03)', async () => {
    const { post, questions } = reviewing();
    const spec = { resourceAttributes: asked, user: 'joe', groups: ['g'], uid: 'u', extra: { k: ['v'] } };
    expect((await post('SubjectAccessReview', spec)).status).toEqual({ allowed: false, reason: 'because' });
    expect(questions[0]?.subject).toEqual({
      user: { name: 'joe', groups: ['g'], uid: 'u', extra: { k: ['v'] } },
      system: false,
    });
  });

  it('require exactly one kind of attributes, and no metadata (AUTHZ-02)', async () => {
    const { post, questions } = reviewing();
    const none = await refusal(post('SelfSubjectAccessReview', {}));
    expect(none.code).toBe(422);
    expect(none.message).toBe(
      'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec: Invalid value: {}: ' +
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    const both = { resourceAttributes: asked, nonResourceAttributes: { path: '/' } };
    expect((await refusal(post('SelfSubjectAccessReview', both))).message).toContain('exactly one of');
    const named = await refusal(post('SelfSubjectAccessReview', { resourceAttributes: asked }, { name: 'x' }));
    expect(named.message).toContain('metadata: Invalid value: {"name":"x"}: must be empty');
    const nobody = await refusal(post('SubjectAccessReview', { resourceAttributes: asked }));
    expect(nobody.message).toContain('spec.user: Invalid value: "": at least one of user or group must be specified');
    expect(questions).toEqual([]);
  });

  it('are restricted to their namespace if they are local (AUTHZ-04)', async () => {
    const { post } = reviewing('a');
    const spec = { resourceAttributes: asked, user: 'jane' };
    const local = await post('LocalSubjectAccessReview', spec, { namespace: 'a' });
    expect(local.status).toMatchObject({ allowed: true });
    const elsewhere = { ...spec, resourceAttributes: { ...asked, namespace: 'b' } };
    const error = await refusal(post('LocalSubjectAccessReview', elsewhere, { namespace: 'a' }));
    expect(error.code).toBe(400);
    const path = { user: 'jane', nonResourceAttributes: { path: '/' } };
    expect((await refusal(post('LocalSubjectAccessReview', path, { namespace: 'a' }))).code).toBe(422);
  });

  it('list the rules of a namespace, which is required (AUTHZ-05, KUBECTL-23)', async () => {
    const { post } = reviewing();
    expect((await post('SelfSubjectRulesReview', { namespace: 'a' })).status).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: ['g'], resources: ['jane in a'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
      incomplete: false,
    });
    const error = await refusal(post('SelfSubjectRulesReview', {}));
    expect({ code: error.code, message: error.message }).toEqual({ code: 400, message: 'no namespace on request' });
  });

  it('return the user information of the caller (KUBECTL-24)', async () => {
    const { post } = reviewing();
    const review = await post('SelfSubjectReview', undefined, {}, 'authentication.k8s.io');
    expect(review).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { userInfo: { username: 'jane', uid: 'u1', groups: ['sailors'], extra: { ship: ['pinta'] } } },
    });
  });

  it('ignore a status in the request body (AUTHZ-03)', async () => {
    const { mounted } = reviewing();
    const create = mounted.find(({ kind }) => kind.kind === 'SubjectAccessReview')?.verbs.create;
    const sent = {
      apiVersion: `${group}/v1`,
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: asked, user: 'joe' },
      status: { allowed: true },
    } as unknown as KubeObject;
    const answer = await create?.({ user: { name: 'x', groups: [] } } as unknown as RequestContext, sent, writing);
    expect(answer?.object.status).toEqual({ allowed: false, reason: 'because' });
  });
});
