import type { JsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { setIfAbsent } from './set-defaults.ts';

function matchAll(object: JsonObject): void {
  setIfAbsent(object, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
}

const webhook: StructDefault = (object) => {
  setIfAbsent(object, { failurePolicy: 'Fail', timeoutSeconds: 10 });
  matchAll(object);
};

const serviceReference: StructDefault = (reference) => setIfAbsent(reference, { port: 443 });

/** The defaults of admissionregistration.k8s.io/v1 and apiregistration.k8s.io/v1. */
export const admissionDefaults: Readonly<Record<string, StructDefault>> = {
  'admissionregistration.ValidatingWebhook': webhook,
  'admissionregistration.MutatingWebhook': (object, now) => {
    webhook(object, now);
    setIfAbsent(object, { reinvocationPolicy: 'Never' });
  },
  'admissionregistration.Rule': (rule) => setIfAbsent(rule, { scope: '*' }),
  'admissionregistration.ServiceReference': serviceReference,
  'admissionregistration.MatchResources': matchAll,
  'admissionregistration.MutatingAdmissionPolicySpec': (spec) => setIfAbsent(spec, { failurePolicy: 'Fail' }),
  'apiregistration.ServiceReference': serviceReference,
};
