import { objectAt, textAt, valueAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, type Static, t } from '../schema/build.ts';
import { selectorObject } from '../selectors/selector-object.ts';
import { admissionGroup, matchResources } from './match-resources.ts';

const spec = t.object(
  {
    policyName: t.optional(t.string({ description: 'The policy that is put in force.' })),
    paramRef: t.optional(
      t.object(
        {
          name: t.optional(t.string({ description: 'The object that is the parameter, by its name.' })),
          namespace: t.optional(t.string({ description: 'Where it is. None: the namespace of the request.' })),
          selector: t.optional(selectorObject('The objects that are the parameters, by their labels.')),
          parameterNotFoundAction: t.optional(
            t.string({ description: 'What becomes of requests when there is no such object: Allow or Deny.' }),
          ),
        },
        { atomic: true, description: 'The parameters that the policy is asked with.' },
      ),
    ),
    matchResources: t.optional(matchResources('Which of the requests that the policy is about are meant.')),
    validationActions: t.optional(
      t.array(t.string(), {
        listType: 'set',
        description: 'What follows when something does not hold: Deny, Warn, Audit.',
      }),
    ),
  },
  { description: 'What is put in force, and where.' },
);

export type BindingSpec = Static<typeof spec>;

/** Puts a policy into effect: selects requests, parameters and validation actions. */
export const validatingAdmissionPolicyBindingKind: ResourceKind = {
  group: admissionGroup,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  namespaced: false,
  builtIn: true,
  description: 'A binding puts a policy in force: for these requests, with these parameters, with these consequences.',
  schema: asSchema(t.object({ spec: t.optional(spec) })),
  columns: [
    column('PolicyName', 'spec.policyName', { description: 'The policy that is put in force.' }),
    column('ParamRef', (object) => paramText(object as JsonValue), { description: 'The parameters.' }),
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
