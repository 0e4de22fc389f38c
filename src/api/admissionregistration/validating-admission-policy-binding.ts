import { isJsonObject, type JsonValue, objectAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, type Static, t } from '../schema/schema-builder.ts';
import { labelSelectorSchema } from '../selectors/selector-object.ts';
import { admissionGroup, matchResourcesSchema } from './match-resources.ts';

const spec = t.object(
  {
    policyName: t.optional(
      t.string({ description: 'The name of the ValidatingAdmissionPolicy that the binding puts into effect.' }),
    ),
    paramRef: t.optional(
      t.object(
        {
          name: t.optional(t.string({ description: 'The name of the parameter object.' })),
          namespace: t.optional(
            t.string({
              description: 'The namespace of the parameter object. Defaults to the namespace of the request.',
            }),
          ),
          selector: t.optional(labelSelectorSchema('Selects the parameter objects by their labels.')),
          parameterNotFoundAction: t.optional(
            t.string({
              description: 'Whether requests are allowed or denied if no parameter object exists: Allow or Deny.',
            }),
          ),
        },
        { atomic: true, description: 'The object or objects that contain the parameters of the policy.' },
      ),
    ),
    matchResources: t.optional(matchResourcesSchema('Restricts the requests that the policy applies to.')),
    validationActions: t.optional(
      t.array(t.string(), {
        listType: 'set',
        description: 'What happens if a validation fails: one or more of Deny, Warn and Audit.',
      }),
    ),
  },
  { description: 'The policy that is put into effect, the requests that it applies to, and its parameters.' },
);

export type PolicyBindingSpec = Static<typeof spec>;

/** The column of a binding that shows its parameter objects. */
export const paramRefColumn = column('ParamRef', (object) => paramText(object as JsonValue), {
  description: 'The parameter objects of the policy.',
});

/**
 * The kind that puts a ValidatingAdmissionPolicy into effect. A binding selects requests, parameters and validation
 * actions.
 */
export const validatingAdmissionPolicyBindingKind: ResourceKind = {
  group: admissionGroup,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  namespaced: false,
  builtIn: true,
  description: 'A binding puts a policy into effect. It selects requests, parameters and validation actions.',
  schema: asSchema(t.object({ spec: t.optional(spec) })),
  columns: [
    column('PolicyName', 'spec.policyName', {
      description: 'The name of the policy that the binding puts into effect.',
    }),
    paramRefColumn,
    ageColumn,
  ],
};

function paramText(binding: JsonValue): string {
  const reference = objectAt(binding, 'spec', 'paramRef');
  const name = textAt(reference, 'name');
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`;
  const selector = valueAt(reference, 'selector');
  return isJsonObject(selector) ? JSON.stringify(selector) : '<unset>';
}
