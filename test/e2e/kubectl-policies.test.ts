import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type ClusterClient, type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: colors }
spec:
  paramKind: { apiVersion: v1, kind: ConfigMap }
  matchConstraints:
    resourceRules:
    - { apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps] }
  matchConditions:
  - { name: not-the-list, expression: "!(request.name in ['colors', 'kube-root-ca.crt'])" }
  variables:
  - { name: color, expression: "object.?data.color.orValue('none')" }
  validations:
  - expression: variables.color in params.data.allowed.split(',')
    messageExpression: "'%s is none of %s'.format([variables.color, params.data.allowed])"
  auditAnnotations:
  - { key: color, valueExpression: string(variables.color) }
`;

const binding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: colors-here }
spec:
  policyName: colors
  validationActions: [Deny]
  paramRef: { name: colors, namespace: default, parameterNotFoundAction: Deny }
  matchResources: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: default } } }
`;

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: kites.air.example.com }
spec:
  group: air.example.com
  scope: Namespaced
  names: { plural: kites, kind: Kite }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: { length: { type: integer } }
`;

describeIfAvailable(kubectlMissing, 'admission policies, with kubectl', () => {
  let local: LocalCluster;
  let virtual: ClusterClient;

  beforeAll(async () => {
    local = await startLocalCluster();
    virtual = await local.virtualCluster('policies');
  });
  afterAll(() => local.remove());

  it('are discovered, explained, applied and shown', async () => {
    const { kubectl } = virtual;
    const kinds = await kubectl.ok(['api-resources', '--api-group=admissionregistration.k8s.io', '-o', 'name']);
    expect(kinds.trim().split('\n').sort()).toEqual([
      'mutatingadmissionpolicies.admissionregistration.k8s.io',
      'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
      'mutatingwebhookconfigurations.admissionregistration.k8s.io',
      'validatingadmissionpolicies.admissionregistration.k8s.io',
      'validatingadmissionpolicybindings.admissionregistration.k8s.io',
      'validatingwebhookconfigurations.admissionregistration.k8s.io',
    ]);
    expect(await kubectl.ok(['explain', 'validatingadmissionpolicy.spec.validations'])).toContain('messageExpression');
    await kubectl.ok(['create', 'configmap', 'colors', '--from-literal=allowed=red,green']);
    expect(await kubectl.ok(['apply', '-f', '-'], { input: `${policy}\n---\n${binding}` })).toContain(
      'colors-here created',
    );
    expect(await kubectl.ok(['get', 'validatingadmissionpolicies'])).toMatch(
      /NAME +VALIDATIONS +PARAMKIND +AGE\ncolors +1 +v1\/ConfigMap/,
    );
    expect(await kubectl.ok(['get', 'validatingadmissionpolicybindings'])).toMatch(
      /colors-here +colors +default\/colors/,
    );
    expect(await kubectl.ok(['describe', 'validatingadmissionpolicy', 'colors'])).toMatch(/Failure Policy: +Fail/);
  });

  it('refuse violating requests from the next request on, where they are bound', async () => {
    const { kubectl } = virtual;
    await kubectl.ok(['create', 'configmap', 'one', '--from-literal=color=red']);
    const refused = await kubectl.run(['create', 'configmap', 'two', '--from-literal=color=blue']);
    expect(refused.stderr).toContain(
      `configmaps "two" is forbidden: ValidatingAdmissionPolicy 'colors' with binding 'colors-here' denied request: blue is none of red,green`,
    );
    const patched = await kubectl.run(['patch', 'configmap', 'one', '-p', '{"data":{"color":"grey"}}']);
    expect(patched.stderr).toContain('grey is none of red,green');
    const dry = await kubectl.run(['create', 'configmap', 'x', '--from-literal=color=blue', '--dry-run=server']);
    expect(dry.stderr).toContain('blue is none of red,green');
    await kubectl.ok(['create', 'namespace', 'elsewhere']);
    await kubectl.ok(['create', 'configmap', 'two', '-n', 'elsewhere', '--from-literal=color=blue']);
    await kubectl.ok(['patch', 'configmap', 'colors', '-p', '{"data":{"allowed":"red,green,blue"}}']);
    await kubectl.ok(['create', 'configmap', 'two', '--from-literal=color=blue']);
  });

  it('add audit annotations to the audit log', () => {
    const lines = readFileSync(join(local.flotilla.dataDirectory, 'audit.log'), 'utf8').trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { annotations?: Record<string, string> });
    expect(events.map(({ annotations }) => annotations?.['colors/color'])).toEqual(
      expect.arrayContaining(['red', 'blue']),
    );
  });

  it('apply to custom resources as well, and warn if the binding requires it', async () => {
    const { kubectl } = virtual;
    await kubectl.ok(['apply', '-f', '-'], { input: definition });
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/kites.air.example.com', '--timeout=10s']);
    const kites = policy
      .replace('name: colors }', 'name: kites }')
      .replace(/ {2}paramKind.*\n/, '')
      .replace(
        "apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]",
        "apiGroups: [air.example.com], apiVersions: ['*'], operations: ['*'], resources: [kites]",
      )
      .replace(
        / {2}matchConditions[\s\S]*/,
        "  validations:\n  - { expression: 'object == null || object.spec.length < 10', message: a long kite }\n",
      );
    const bound = binding
      .replace('name: colors-here', 'name: kites-here')
      .replace('policyName: colors', 'policyName: kites')
      .replace('[Deny]', '[Warn]')
      .replace(/ {2}paramRef.*\n/, '');
    await kubectl.ok(['apply', '-f', '-'], { input: `${kites}\n---\n${bound}` });
    const kite =
      'apiVersion: air.example.com/v1\nkind: Kite\nmetadata: { name: k, namespace: default }\nspec: { length: 12 }\n';
    const warned = await kubectl.run(['apply', '-f', '-'], { input: kite });
    expect(warned.stderr).toContain(
      "Warning: Validation failed for ValidatingAdmissionPolicy 'kites' with binding 'kites-here': a long kite",
    );
    expect(warned.stdout).toContain('kite.air.example.com/k created');
  });

  it('are validated, and have no effect after their deletion', async () => {
    const { kubectl } = virtual;
    const wrong = await kubectl.run(['apply', '-f', '-'], {
      input: policy.replace('variables.color in', 'variables.colour in'),
    });
    expect(wrong.stderr).toContain("undefined field 'colour'");
    await kubectl.ok(['delete', 'validatingadmissionpolicybinding', 'colors-here']);
    await kubectl.ok(['delete', 'validatingadmissionpolicy', 'colors']);
    await kubectl.ok(['create', 'configmap', 'three', '--from-literal=color=grey']);
  });
});
