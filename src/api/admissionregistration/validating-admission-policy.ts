import { listAt, textAt, valueAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, type Static, t } from '../schema/build.ts';
import { admissionGroup, matchResources } from './match-resources.ts';

const spec = t.object(
  {
    paramKind: t.optional(
      t.object(
        {
          apiVersion: t.optional(t.string({ description: 'Group and version of the kind.' })),
          kind: t.optional(t.string({ description: 'The kind.' })),
        },
        { atomic: true, description: 'The kind of the objects that bindings name as parameters.' },
      ),
    ),
    matchConstraints: t.optional(matchResources('Which requests the policy is about.')),
    validations: t.optional(
      t.array(
        t.object({
          expression: t.optional(t.string({ description: 'What has to hold, in CEL.' })),
          message: t.optional(t.string({ description: 'What is said when it does not hold.' })),
          reason: t.optional(
            t.string({
              description: 'How the answer calls it: Forbidden, Invalid, RequestEntityTooLarge.',
            }),
          ),
          messageExpression: t.optional(t.string({ description: 'Makes the message, in CEL.' })),
        }),
        { listType: 'atomic', description: 'What has to hold.' },
      ),
    ),
    failurePolicy: t.optional(
      t.string({ description: 'What becomes of a request when the policy itself fails: Fail or Ignore.' }),
    ),
    auditAnnotations: t.optional(
      t.array(
        t.object({
          key: t.optional(t.string({ description: 'What the annotation is called, after the name of the policy.' })),
          valueExpression: t.optional(t.string({ description: 'Makes the value, in CEL; null: there is none.' })),
        }),
        { listType: 'atomic', description: 'What the audit log is told of a request.' },
      ),
    ),
    matchConditions: t.optional(
      t.array(
        t.object({
          name: t.string({ description: 'What the condition is called.' }),
          expression: t.optional(t.string({ description: 'What has to hold for the policy to be asked, in CEL.' })),
        }),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Which of the requests are meant, in detail.',
        },
      ),
    ),
    variables: t.optional(
      t.array(
        t.object(
          {
            name: t.string({ description: 'The name, below `variables`.' }),
            expression: t.optional(t.string({ description: 'What it stands for, in CEL.' })),
          },
          { atomic: true },
        ),
        {
          mapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          description: 'Names for what expressions need more than once.',
        },
      ),
    ),
  },
  { description: 'What the policy demands.' },
);

export type PolicySpec = Static<typeof spec>;

const status = t.object(
  {
    observedGeneration: t.optional(t.integer({ description: 'The generation that the status is about.' })),
    typeChecking: t.optional(
      t.object(
        {
          expressionWarnings: t.optional(
            t.array(
              t.object({
                fieldRef: t.string({ description: 'The expression, by its path.' }),
                warning: t.string({ description: 'What is odd about it.' }),
              }),
              {
                listType: 'atomic',
                description: 'What the types of the kinds that are meant say against expressions.',
              },
            ),
          ),
        },
        { description: 'What became of the check against the types of the kinds that are meant.' },
      ),
    ),
    conditions: t.optional(
      t.array(
        t.object({
          type: t.string({ description: 'What the condition is about.' }),
          status: t.string({ description: 'True, False or Unknown.' }),
          observedGeneration: t.optional(t.integer({ description: 'The generation that the condition is about.' })),
          lastTransitionTime: t.optional(t.timestamp({ description: 'When the status changed.' })),
          reason: t.optional(t.string({ description: 'Why, in one word.' })),
          message: t.optional(t.string({ description: 'Why, for people.' })),
        }),
        { mapKeys: ['type'], description: 'What is the case.' },
      ),
    ),
  },
  { description: 'What the server has found out about the policy.' },
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
  description: 'A policy says what requests have to fulfil, in expressions. It is in force where a binding says so.',
  schema: asSchema(t.object({ spec: t.optional(spec), status: t.optional(status) })),
  columns: [
    column('Validations', (object) => listAt(object as JsonValue, 'spec', 'validations').length, {
      type: 'integer',
      verbatim: true,
      description: 'How many expressions have to hold.',
    }),
    column('ParamKind', (object) => paramKindText(object as JsonValue), { description: 'The kind of its parameters.' }),
    ageColumn,
  ],
};

function paramKindText(policy: JsonValue): string {
  const kind = valueAt(policy, 'spec', 'paramKind');
  return kind === undefined || kind === null ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}
