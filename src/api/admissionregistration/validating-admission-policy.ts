import type { JsonValue } from '@flotilla/json';
import { listAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, type Static, t } from '../schema/schema-builder.ts';
import { admissionGroup, matchResources } from './match-resources.ts';

const spec = t.object(
  {
    paramKind: t.optional(
      t.object(
        {
          apiVersion: t.optional(t.string({ description: 'The API group and version of the kind.' })),
          kind: t.optional(t.string({ description: 'The kind.' })),
        },
        { atomic: true, description: 'The kind of the parameter objects that bindings refer to.' },
      ),
    ),
    matchConstraints: t.optional(matchResources('Selects the requests that the policy applies to.')),
    validations: t.optional(
      t.array(
        t.object({
          expression: t.optional(t.string({ description: 'The CEL expression that must be true.' })),
          message: t.optional(t.string({ description: 'The message if the validation fails.' })),
          reason: t.optional(
            t.string({
              description:
                'The status reason if the validation fails, such as Forbidden, Invalid or RequestEntityTooLarge.',
            }),
          ),
          messageExpression: t.optional(t.string({ description: 'The CEL expression that returns the message.' })),
        }),
        { listType: 'atomic', description: 'The validations of the policy.' },
      ),
    ),
    failurePolicy: t.optional(
      t.string({ description: 'The handling of errors in the policy itself: Fail or Ignore.' }),
    ),
    auditAnnotations: t.optional(
      t.array(
        t.object({
          key: t.optional(t.string({ description: 'The key of the annotation, after the name of the policy.' })),
          valueExpression: t.optional(
            t.string({ description: 'The CEL expression that returns the value. With null there is no annotation.' }),
          ),
        }),
        { listType: 'atomic', description: 'The audit annotations of a request.' },
      ),
    ),
    matchConditions: t.optional(
      t.array(
        t.object({
          name: t.string({ description: 'The name of the condition.' }),
          expression: t.optional(
            t.string({ description: 'The CEL expression that must be true for the policy to apply.' }),
          ),
        }),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Additional conditions that requests must match.',
        },
      ),
    ),
    variables: t.optional(
      t.array(
        t.object(
          {
            name: t.string({ description: 'The name of the variable, available as a member of `variables`.' }),
            expression: t.optional(t.string({ description: 'The CEL expression of the value.' })),
          },
          { atomic: true },
        ),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Variables for expressions that are used more than once.',
        },
      ),
    ),
  },
  { description: 'The desired behavior of the policy.' },
);

export type PolicySpec = Static<typeof spec>;

const status = t.object(
  {
    observedGeneration: t.optional(t.integer({ description: 'The generation that the status refers to.' })),
    typeChecking: t.optional(
      t.object(
        {
          expressionWarnings: t.optional(
            t.array(
              t.object({
                fieldRef: t.string({ description: 'The path of the expression.' }),
                warning: t.string({ description: 'The type-checking warning.' }),
              }),
              {
                listType: 'atomic',
                description: 'The type-checking warnings of the expressions.',
              },
            ),
          ),
        },
        { description: 'The result of type checking against the matched kinds.' },
      ),
    ),
    conditions: t.optional(
      t.array(
        t.object({
          type: t.string({ description: 'The type of the condition.' }),
          status: t.string({ description: 'True, False or Unknown.' }),
          observedGeneration: t.optional(t.integer({ description: 'The generation that the condition refers to.' })),
          lastTransitionTime: t.optional(t.timestamp({ description: 'The time of the last change of the status.' })),
          reason: t.optional(t.string({ description: 'The machine-readable reason.' })),
          message: t.optional(t.string({ description: 'A human-readable message.' })),
        }),
        { mapKeys: ['type'], description: 'The conditions of the policy.' },
      ),
    ),
  },
  { description: 'The observed state of the policy.' },
);

/** Rules that requests must satisfy. A policy takes effect through a binding. */
export const validatingAdmissionPolicyKind: ResourceKind = {
  group: admissionGroup,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  listKind: 'ValidatingAdmissionPolicyList',
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  namespaced: false,
  builtIn: true,
  description: 'A policy validates requests with CEL expressions. It takes effect through a binding.',
  schema: asSchema(t.object({ spec: t.optional(spec), status: t.optional(status) })),
  columns: [
    column('Validations', (object) => listAt(object as JsonValue, 'spec', 'validations').length, {
      type: 'integer',
      verbatim: true,
      description: 'The number of validations.',
    }),
    column('ParamKind', (object) => paramKindText(object as JsonValue), { description: 'The kind of the parameters.' }),
    ageColumn,
  ],
};

function paramKindText(policy: JsonValue): string {
  const kind = valueAt(policy, 'spec', 'paramKind');
  return kind === undefined || kind === null ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}
