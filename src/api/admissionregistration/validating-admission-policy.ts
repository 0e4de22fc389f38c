import { type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, type Static, t } from '../schema/schema-builder.ts';
import { admissionGroup, matchResourcesSchema } from './match-resources.ts';

const spec = t.object(
  {
    paramKind: t.optional(
      t.object(
        {
          apiVersion: t.optional(t.string({ description: 'The API group and version of the parameter objects.' })),
          kind: t.optional(t.string({ description: 'The kind of the parameter objects.' })),
        },
        { atomic: true, description: 'The kind of the parameter objects that bindings refer to.' },
      ),
    ),
    matchConstraints: t.optional(matchResourcesSchema('Selects the requests that the policy applies to.')),
    validations: t.optional(
      t.array(
        t.object({
          expression: t.optional(
            t.string({ description: 'The CEL expression. The validation fails if it evaluates to false.' }),
          ),
          message: t.optional(t.string({ description: 'The message that clients see if the validation fails.' })),
          reason: t.optional(
            t.string({
              description:
                'The status reason if the validation fails, such as Forbidden, Invalid or RequestEntityTooLarge.',
            }),
          ),
          messageExpression: t.optional(
            t.string({ description: 'A CEL expression that computes the message. It takes precedence over message.' }),
          ),
        }),
        { listType: 'atomic', description: 'The validations that every matching request must pass.' },
      ),
    ),
    failurePolicy: t.optional(
      t.string({
        description:
          'What happens if the policy itself cannot be evaluated: Fail rejects the request, Ignore allows it.',
      }),
    ),
    auditAnnotations: t.optional(
      t.array(
        t.object({
          key: t.optional(
            t.string({
              description: 'The second part of the annotation key. The first part is the name of the policy.',
            }),
          ),
          valueExpression: t.optional(
            t.string({
              description:
                'A CEL expression that computes the value. If the result is null, the annotation is omitted.',
            }),
          ),
        }),
        {
          listType: 'atomic',
          description: 'The annotations that the policy adds to the audit events of matching requests.',
        },
      ),
    ),
    matchConditions: t.optional(
      t.array(
        t.object({
          name: t.string({ description: 'The name of the match condition.' }),
          expression: t.optional(
            t.string({ description: 'The CEL expression that must be true for the policy to apply.' }),
          ),
        }),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'CEL conditions that a request must also meet for the policy to apply.',
        },
      ),
    ),
    variables: t.optional(
      t.array(
        t.object(
          {
            name: t.string({ description: 'The name of the variable, available as a member of `variables`.' }),
            expression: t.optional(
              t.string({ description: 'A CEL expression that computes the value of the variable.' }),
            ),
          },
          { atomic: true },
        ),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Variables that the CEL expressions of the policy can use.',
        },
      ),
    ),
  },
  { description: 'The desired behavior of the policy.' },
);

export type PolicySpec = Static<typeof spec>;

const status = t.object(
  {
    observedGeneration: t.optional(
      t.integer({ description: 'The metadata.generation that the status was computed from.' }),
    ),
    typeChecking: t.optional(
      t.object(
        {
          expressionWarnings: t.optional(
            t.array(
              t.object({
                fieldRef: t.string({ description: 'The path of the field that contains the CEL expression.' }),
                warning: t.string({ description: 'The warning from the type check of the CEL expression.' }),
              }),
              {
                listType: 'atomic',
                description: 'The warnings from the type check of the CEL expressions.',
              },
            ),
          ),
        },
        {
          description:
            'The result of checking the types of the CEL expressions against the kinds that the policy matches.',
        },
      ),
    ),
    conditions: t.optional(
      t.array(
        t.object({
          type: t.string({ description: 'The type of the condition.' }),
          status: t.string({ description: 'True, False or Unknown.' }),
          observedGeneration: t.optional(
            t.integer({ description: 'The metadata.generation that the condition was computed from.' }),
          ),
          lastTransitionTime: t.optional(
            t.timestamp({ description: 'The time at which the status of the condition last changed.' }),
          ),
          reason: t.optional(t.string({ description: 'The machine-readable reason for the status.' })),
          message: t.optional(t.string({ description: 'A human-readable message.' })),
        }),
        { mapKeys: ['type'], description: 'The conditions of the policy.' },
      ),
    ),
  },
  { description: 'The observed state of the policy.' },
);

/** The column of a policy that shows the kind of its parameter objects. */
export const paramKindColumn = column('ParamKind', (object) => paramKindText(object as JsonValue), {
  description: 'The kind of the parameter objects.',
});

/** The kind of policies that validate requests. A policy takes effect through a binding. */
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
    paramKindColumn,
    ageColumn,
  ],
};

function paramKindText(policy: JsonValue): string {
  const kind = valueAt(policy, 'spec', 'paramKind');
  return kind === undefined || kind === null ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}
