import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import {
  bindingsKey,
  createObjectAs,
  expectStatusError,
  openPolicyTestEnv,
  policiesKey,
  testPolicy,
  testPolicyBinding,
} from './admission-policies.fixture.ts';

describe('a written policy', () => {
  it.each([
    [{ validations: [{ expression: 'object.spec.' }] }, 'spec.validations[0].expression'],
    [{ validations: [{ expression: '1' }] }, 'must evaluate to bool but got int'],
    [{ validations: [{ expression: 'nobody' }] }, "undeclared reference to 'nobody'"],
    [{ validations: [{ expression: 'params.x' }] }, "undeclared reference to 'params'"],
    [{ validations: [{ expression: 'variables.x' }] }, "undeclared reference to 'variables'"],
    [
      { validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] },
      "undeclared reference to 'authorizer'",
    ],
    [
      { validations: [{ expression: 'true', reason: 'Because' }] },
      'supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
    [{}, 'validations or auditAnnotations must contain at least one item'],
    [
      { validations: [{ expression: 'true' }], matchConstraints: { resourceRules: [] } },
      'spec.matchConstraints.resourceRules: Required value',
    ],
    [{ validations: [{ expression: 'true' }], failurePolicy: 'Maybe' }, 'supported values: "Fail", "Ignore"'],
    [
      { validations: [{ expression: 'true' }], paramKind: { apiVersion: 'a/b/c', kind: 'K' } },
      'unexpected GroupVersion string: a/b/c',
    ],
    [
      { validations: [{ expression: 'true' }], variables: [{ name: 'a-b', expression: '1' }] },
      'must be a valid CEL identifier',
    ],
    [
      { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
      'must evaluate to one of [string null_type] but got int',
    ],
  ] as const)('is refused with %j', async (spec, text) => {
    const env = await openPolicyTestEnv();
    expect(
      (await expectStatusError(createObjectAs(env, policiesKey, testPolicy('rule', spec as unknown as JsonObject))))
        .message,
    ).toContain(text);
  });

  it('gets its defaults, and type checking warnings in its status', async () => {
    const env = await openPolicyTestEnv();
    const made = await createObjectAs(
      env,
      policiesKey,
      testPolicy('typed', {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces'] }],
        },
        validations: [{ expression: 'object.metadata.nme == "x"' }],
      }),
    );
    expect(made.spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ scope: '*' }],
      },
    });
    expect(made.status).toMatchObject({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: 'spec.validations[0].expression',
            warning: expect.stringContaining("v1, Kind=Namespace: ERROR: <input>:1:16: undefined field 'nme'"),
          },
        ],
      },
    });
  });
});

describe('a written binding', () => {
  it.each([
    [{ policyName: '' }, 'spec.policyName: Required value'],
    [{ validationActions: [] }, 'at least one validation action is required'],
    [{ validationActions: ['Deny', 'Warn'] }, 'must not contain both Deny and Warn'],
    [{ validationActions: ['Nag'] }, 'supported values: "Audit", "Deny", "Warn"'],
    [
      { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
      'name and selector are mutually exclusive',
    ],
    [{ paramRef: { name: 'a' } }, 'spec.paramRef.parameterNotFoundAction: Required value'],
    [{ paramRef: { parameterNotFoundAction: 'Deny' } }, 'one of name or selector must be specified'],
    [{ matchResources: { matchPolicy: 'Some' } }, 'supported values: "Equivalent", "Exact"'],
  ] as const)('is refused with %j', async (spec, text) => {
    const env = await openPolicyTestEnv();
    expect(
      (
        await expectStatusError(
          createObjectAs(env, bindingsKey, testPolicyBinding('rule', spec as unknown as JsonObject)),
        )
      ).message,
    ).toContain(text);
  });
});
