import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../test/harness/cpu-milliseconds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { addableTestKind, testClientContext, testDeleteOptions, testKind, testWriteOptions } from '../plane.fixture.ts';
import {
  bindingsKey,
  createBoundPolicy,
  createObjectAs,
  createWidget,
  expectStatusError,
  matchAllWidgets,
  openPolicyTestEnv,
  policiesKey,
  policyTestWidget,
  testPolicy,
} from './admission-policies.fixture.ts';

describe('a bound policy', () => {
  it('refuses a request that fails a validation, with the message of Kubernetes', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, { validations: [{ expression: 'object.spec.size <= 3' }] });
    expect(await createWidget(env, { size: 3 })).toMatchObject({ spec: { size: 3 } });
    const error = await expectStatusError(createWidget(env, { size: 4 }, testClientContext('shop'), { name: 'large' }));
    const text =
      "ValidatingAdmissionPolicy 'rule' with binding 'rule-binding' denied request: failed expression: object.spec.size <= 3";
    expect(error.status).toMatchObject({
      message: `widgets.test.example "large" is forbidden: ${text}`,
      reason: 'Invalid',
      code: 422,
      details: { name: 'large', group: 'test.example', kind: 'widgets', causes: [{ message: text }] },
    });
  });

  it('yields to other requests before each of its expressions', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, { validations: Array.from({ length: 5 }, () => ({ expression: 'true' })) });
    let turns = 0;
    const turn = async () => void turns++;
    await createWidget(env, { size: 1 }, { ...testClientContext('shop'), nextTimeSlice: turn });
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('reports its message or its message expression, with its reason', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, {
      variables: [
        { name: 'size', expression: 'object.spec.size' },
        { name: 'twice', expression: 'variables.size * 2' },
      ],
      validations: [
        { expression: 'variables.size < 10', message: 'too large', reason: 'Forbidden' },
        { expression: 'variables.twice < 10', messageExpression: "'%d is more than 9'.format([variables.twice])" },
      ],
    });
    expect((await expectStatusError(createWidget(env, { size: 11 }))).status).toMatchObject({
      reason: 'Forbidden',
      code: 403,
    });
    expect((await expectStatusError(createWidget(env, { size: 5 }))).message).toContain(
      'denied request: 10 is more than 9',
    );
  });

  it('is also evaluated for updates and deletes, with the old object', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, {
      validations: [
        { expression: "request.operation != 'UPDATE' || object.spec.size >= oldObject.spec.size", message: 'shrinks' },
        {
          expression: "request.operation != 'DELETE' || (object == null && oldObject.spec.size > 5)",
          message: 'still small',
        },
      ],
    });
    await createWidget(env, { size: 2 });
    const { verbs } = env.kind('widgets.test.example');
    const seen = env.peek('widgets.test.example', 'w', 'shop');
    const at = seen?.metadata.resourceVersion ?? '';
    const put = (size: number) =>
      verbs.update(
        testClientContext('shop'),
        'w',
        policyTestWidget({ size }, { namespace: 'shop', resourceVersion: at }),
        { ...testWriteOptions },
      );
    expect((await expectStatusError(put(1))).message).toContain('denied request: shrinks');
    expect(
      (await expectStatusError(verbs.delete(testClientContext('shop'), 'w', testDeleteOptions()))).message,
    ).toContain('denied request: still small');
    await put(6);
    await verbs.delete(testClientContext('shop'), 'w', testDeleteOptions());
    expect(env.peek('widgets.test.example', 'w', 'shop')).toBeUndefined();
  });

  it('refuses the request if an expression fails, unless its failurePolicy is Ignore', async () => {
    const env = await openPolicyTestEnv();
    const made = await createBoundPolicy(env, { validations: [{ expression: 'object.spec.size <= 3' }] });
    expect((await expectStatusError(createWidget(env, {}))).message).toContain(
      "denied request: expression 'object.spec.size <= 3' resulted in error: no such key: size",
    );
    const { verbs } = env.kind(policiesKey);
    await verbs.update(
      testClientContext(),
      'rule',
      { ...made, spec: { ...(made.spec as JsonObject), failurePolicy: 'Ignore' } },
      testWriteOptions,
    );
    expect(await createWidget(env, {})).toMatchObject({ metadata: { name: 'w' } });
  });

  it('warns and annotates if the binding requests that', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(
      env,
      {
        validations: [{ expression: 'object.spec.size <= 3', message: 'too large' }],
        auditAnnotations: [
          { key: 'size', valueExpression: "'size is ' + string(object.spec.size)" },
          { key: 'none', valueExpression: 'null' },
        ],
      },
      { validationActions: ['Warn', 'Audit'] },
    );
    const warnings: string[] = [];
    const annotations: Record<string, string> = {};
    await createWidget(
      env,
      { size: 9 },
      {
        ...testClientContext('shop'),
        warn: (text) => void warnings.push(text),
        annotate: () => expect.unreachable('only the server may use this function'),
        annotateByAdmission: (key, value) => void Object.assign(annotations, { [key]: value }),
      },
    );
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'rule' with binding 'rule-binding': too large",
    ]);
    expect(annotations['rule/size']).toBe('size is 9');
    expect(JSON.parse(annotations['validation.policy.admission.k8s.io/validation_failure'] ?? '')).toEqual([
      {
        message: 'too large',
        policy: 'rule',
        binding: 'rule-binding',
        expressionIndex: 0,
        validationActions: ['Warn', 'Audit'],
      },
    ]);
    expect(Object.keys(annotations)).toHaveLength(2);
  });

  it('can use the caller, the namespace and the permissions of the caller', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, {
      validations: [
        { expression: "request.userInfo.username == 'jane' && request.namespace == 'shop' && !request.dryRun" },
        {
          expression: "request.resource.resource == 'widgets' && request.kind.kind == 'Widget' && request.name == 'w'",
        },
        { expression: "namespaceObject.metadata.labels['team'] == 'a'" },
        { expression: "authorizer.group('air').resource('planes').check('fly').allowed()" },
        { expression: "!authorizer.requestResource.check('create').allowed()" },
        {
          expression:
            "authorizer.serviceAccount('shop', 'bot').group('').resource('pods').check('fly').reason() == 'asked of system:serviceaccount:shop:bot'",
        },
        { expression: "authorizer.path('/healthz').check('fly').allowed()" },
      ],
    });
    expect(await createWidget(env, {})).toBeDefined();
  });

  it('applies only to requests that its rules, selectors and conditions match', async () => {
    const env = await openPolicyTestEnv();
    const no = { validations: [{ expression: 'false', message: 'no' }] };
    await createBoundPolicy(env, {
      ...no,
      matchConstraints: {
        ...matchAllWidgets,
        objectSelector: { matchLabels: { guarded: 'yes' } },
        namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] },
        excludeResourceRules: [
          { resourceNames: ['free'], apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
        ],
      },
      matchConditions: [{ name: 'not-me', expression: "request.userInfo.username != 'root'" }],
    });
    await env.create('namespaces', 'other');
    const labels = { guarded: 'yes' };
    expect((await expectStatusError(createWidget(env, {}, testClientContext('shop'), { labels }))).message).toContain(
      'denied request: no',
    );
    await createWidget(env, {}, testClientContext('shop'), { name: 'plain' });
    await createWidget(env, {}, testClientContext('shop'), { name: 'free', labels });
    await createWidget(env, {}, testClientContext('other'), { labels });
    await createWidget(
      env,
      {},
      { ...testClientContext('shop'), user: { name: 'root', groups: [] } },
      { name: 'r', labels },
    );
  });

  it('uses parameters by name and by label, and its binding decides what happens without any', async () => {
    const env = await openPolicyTestEnv();
    await env.plane.add([addableTestKind(testKind('limits', 'Limit'))]);
    await createBoundPolicy(
      env,
      {
        paramKind: { apiVersion: 'test.example/v1', kind: 'Limit' },
        validations: [
          {
            expression: 'object.spec.size <= params.spec.most',
            messageExpression: "'most is ' + string(params.spec.most)",
          },
        ],
      },
      { paramRef: { selector: { matchLabels: { use: 'yes' } }, parameterNotFoundAction: 'Deny' } },
    );
    expect((await expectStatusError(createWidget(env, { size: 1 }))).message).toContain(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
    const limit = (name: string, most: number) =>
      createObjectAs(
        env,
        'limits.test.example',
        {
          apiVersion: 'test.example/v1',
          kind: 'Limit',
          metadata: { name, labels: { use: 'yes' } },
          spec: { most },
        } as KubeObject,
        testClientContext('shop'),
      );
    await limit('a', 5);
    await createWidget(env, { size: 5 });
    await limit('b', 3);
    expect(
      (await expectStatusError(createWidget(env, { size: 4 }, testClientContext('shop'), { name: 'v' }))).message,
    ).toContain('denied request: most is 3');
  });

  it('never applies to changes of policies', async () => {
    const env = await openPolicyTestEnv();
    const everything = {
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
    };
    await createBoundPolicy(env, {
      matchConstraints: { resourceRules: [{ ...everything.resourceRules[0], resources: ['*'] }] },
      validations: [{ expression: 'false' }],
    });
    await expectStatusError(createWidget(env, {}));
    await env.kind(bindingsKey).verbs.delete(testClientContext(), 'rule-binding', testDeleteOptions());
    expect(await createWidget(env, {})).toBeDefined();
  });

  it('aborts an expression that exceeds the cost limit', async () => {
    const env = await openPolicyTestEnv();
    await createBoundPolicy(env, {
      validations: [{ expression: 'object.spec.l.all(a, object.spec.l.all(b, object.spec.l.all(c, a + b + c >= 0)))' }],
    });
    const l: JsonValue = Array.from({ length: 1000 }, (_, index) => index);
    const started = cpuMilliseconds();
    expect((await expectStatusError(createWidget(env, { l }))).message).toContain(
      'operation cancelled: actual cost limit exceeded',
    );
    expect(cpuMilliseconds() - started).toBeLessThan(5000);
  });

  it('refuses a request for which all policies together exceed their budget, even if its failurePolicy is Ignore', async () => {
    const env = await openPolicyTestEnv();
    await env.plane.add([addableTestKind(testKind('limits', 'Limit'))]);
    // Searching a text of a million characters costs 100,000 units.
    const expression = Array(9).fill("!object.spec.text.contains('b')").join(' && ');
    await createBoundPolicy(
      env,
      {
        paramKind: { apiVersion: 'test.example/v1', kind: 'Limit' },
        failurePolicy: 'Ignore',
        validations: [{ expression }],
      },
      { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
    );
    const limit = (name: string) =>
      createObjectAs(
        env,
        'limits.test.example',
        { apiVersion: 'test.example/v1', kind: 'Limit', metadata: { name } } as KubeObject,
        testClientContext('shop'),
      );
    const text = 'a'.repeat(1_000_000);
    for (let number = 0; number < 20; number++) await limit(`limit-${number}`);
    await createWidget(env, { text });
    for (let number = 20; number < 25; number++) await limit(`limit-${number}`);
    const refused = await expectStatusError(createWidget(env, { text }, testClientContext('shop'), { name: 'other' }));
    expect(refused.code).toBe(422);
    expect(refused.message).toContain(
      "ValidatingAdmissionPolicy 'rule' denied request: all policies for one request together may cost at most 20000000 units;",
    );
  });

  it('yields to other requests while it looks for parameters', async () => {
    const env = await openPolicyTestEnv();
    await env.plane.add([addableTestKind(testKind('limits', 'Limit'))]);
    const object = { apiVersion: 'test.example/v1', kind: 'Limit' };
    for (let number = 0; number < 1_000; number++) {
      const limit = { ...object, metadata: { name: `limit-${number}` } } as KubeObject;
      await createObjectAs(env, 'limits.test.example', limit, testClientContext('shop'));
    }
    await createBoundPolicy(
      env,
      { paramKind: object, validations: [{ expression: 'true' }] },
      { paramRef: { selector: { matchLabels: { use: 'yes' } }, parameterNotFoundAction: 'Allow' } },
    );
    let turns = 0;
    const nextTimeSlice = async () => void turns++;
    await createWidget(env, { size: 1 }, { ...testClientContext('shop'), nextTimeSlice });
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

it('a plane accepts 500 policies', async () => {
  const env = await openPolicyTestEnv();
  const create = (number: number) => createObjectAs(env, policiesKey, testPolicy(`p${number}`, { validations }));
  const validations = [{ expression: 'true' }];
  for (let number = 0; number < 500; number++) await create(number);
  const refused = await expectStatusError(create(500));
  expect([refused.code, refused.message]).toEqual([
    403,
    expect.stringContaining('a cluster can have at most 500 validatingadmissionpolicies'),
  ]);
  await env.kind(policiesKey).verbs.delete(testClientContext(), 'p1', testDeleteOptions());
  await create(500);
});
