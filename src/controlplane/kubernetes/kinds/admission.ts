import { type JsonValue, listAt } from '@flotilla/json';
import { admissionGroup as group } from '../../../api/admissionregistration/match-resources.ts';
import { paramKindColumn } from '../../../api/admissionregistration/validating-admission-policy.ts';
import { paramRefColumn } from '../../../api/admissionregistration/validating-admission-policy-binding.ts';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { mutatingBindingErrors, mutatingPolicyErrors } from '../../policies/mutating/mutating-policy-errors.ts';
import type { MutatingBindingSpec, MutatingPolicySpec } from '../../policies/mutating/mutating-policy-spec.ts';
import { webhookConfigurationErrors } from '../../webhooks/webhook-errors.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';

const shared = {
  group,
  categories: ['api-extensions'],
  namespaced: false,
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: false,
  warnings: staticNameWarnings,
} as const;

const staticSuffix = '.static.k8s.io';

/** Returns a warning about a name that kube-apiserver reserves for configurations from files. */
function staticNameWarnings({ metadata: { name = '' } }: KubeObject): readonly string[] {
  if (!name.endsWith(staticSuffix)) return [];
  return [
    `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}

function specOf<Spec>({ spec }: KubeObject): Spec {
  return (spec ?? {}) as unknown as Spec;
}

/** The kinds of admissionregistration.k8s.io/v1 that only planes with the full set of kinds serve. */
export const admissionKinds: readonly KubernetesKind[] = [
  {
    ...shared,
    struct: 'admissionregistration.MutatingAdmissionPolicy',
    plural: 'mutatingadmissionpolicies',
    description: 'A policy changes the objects of requests with CEL expressions. It takes effect through a binding.',
    validate: (object) => mutatingPolicyErrors(specOf<MutatingPolicySpec>(object)),
    columns: [
      column('Mutations', (object) => listAt(object as JsonValue, 'spec', 'mutations').length, {
        type: 'integer',
        verbatim: true,
        description: 'The number of mutations.',
      }),
      paramKindColumn,
      ageColumn,
    ],
  },
  {
    ...shared,
    struct: 'admissionregistration.MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    description: 'A binding puts a mutating policy into effect. It selects requests and parameters.',
    validate: (object) => mutatingBindingErrors(specOf<MutatingBindingSpec>(object)),
    columns: [
      column('PolicyName', 'spec.policyName', {
        description: 'The name of the policy that the binding puts into effect.',
      }),
      paramRefColumn,
      ageColumn,
    ],
  },
  ...(['Validating', 'Mutating'] as const).map(
    (type): KubernetesKind => ({
      ...shared,
      struct: `admissionregistration.${type}WebhookConfiguration`,
      plural: `${type.toLowerCase()}webhookconfigurations`,
      description: `The ${type.toLowerCase()} webhooks that requests must pass.`,
      validate: webhookConfigurationErrors,
      columns: [
        column('Webhooks', (object) => listAt(object as JsonValue, 'webhooks').length, {
          type: 'integer',
          verbatim: true,
          description: 'The number of webhooks.',
        }),
        ageColumn,
      ],
    }),
  ),
];
